"""Arrays in, numbers out: the statistics of ethogram, which know nothing of trajectories.

Import from the module that has it; nothing is re-exported, since some of them import scipy.

==================  =============================================================================
`arrays`            array types, `RandomSource`, checks
`intervals`         `Interval`
`task_intervals`    `mean_interval`, `ratio_interval`, `median_interval`, `statistic_interval`
`resampling`        `bootstrap_interval`, `bootstrap_replicates`, `jackknife_replicates`
`proportions`       `wilson_interval`, `clopper_pearson_interval`
`dispersion`        `coefficient_of_variation`, `icc1`, `share_unique`
`repeats`           `pass_at_k`, `pass_hat_k`, `flip_rate`, `k_subsets`
`sequences`         `divergence_step`, `edit_similarity`, `coherence_after_divergence`, ...
`prefixes`          divergence and unique share at ``k`` runs, for many tasks at once
`effects`           `cohens_d_pooled`, `cohens_dz`, `hedges_factor`, `odds_ratio`
`significance`      `TestResult`, paired tests, `fisher_exact`, `holm`
`correlation`       `pearson`, `spearman`
`agreement`         `cohen_kappa`, `share_within`
`parallel`          `parallel_map`, `spawn_seeds`
==================  =============================================================================
"""
