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
`task_means`        means of means over tasks with each task's pull, for many rows at once
`max_t`             `max_t`: is the largest of several candidates larger than every other one
`mantel`            `mantel`, `mantel_ranks`: two matrices of the same objects
`grouping`          `grouping_test`: are objects of one group more alike than across
`rank_stability`    `kendall_taus`, `same_order`
`agreement`         `cohen_kappa`, `share_within`
`parallel`          `parallel_map`, `spawn_seeds`
==================  =============================================================================
"""
