"use strict";
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  for (const element of $$(".choose, .download, #theme")) element.hidden = false;

  // light and dark
  const button = $("#theme");
  const dark = () => document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  const label = () => { button.textContent = dark() ? "Light" : "Dark"; };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    label();
  });
  label();

  // sorting: values stand in data-order; rows without one stay at the end
  const value = (row, column) => {
    const text = row.cells[column].dataset.order;
    if (text === undefined) return null;
    return text !== "" && isFinite(text) ? Number(text) : text;
  };
  const compare = (one, other) =>
    typeof one === "number" && typeof other === "number"
      ? one - other
      : String(one).localeCompare(String(other), undefined, { numeric: true });
  const sort = (head, column) => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    const body = head.closest("table").tBodies[0];
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const known = [], unknown = [];
    for (const row of body.rows) (value(row, column) === null ? unknown : known).push(row);
    known.sort((a, b) => (up ? 1 : -1) * compare(value(a, column), value(b, column)));
    body.append(...known, ...unknown);
  };
  for (const table of $$(".sortable table")) {
    if (table.tBodies[0].rows.length < 3) continue;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const press = document.createElement("button");
      press.type = "button";
      press.append(...head.childNodes);
      press.addEventListener("click", () => sort(head, column));
      head.append(press);
    });
  }

  // one task at a time
  const select = $("#task");
  if (select) {
    const show = () => {
      for (const task of $$(".task")) task.hidden = task.id !== select.value;
    };
    for (const step of $$("[data-step]")) {
      step.addEventListener("click", () => {
        const n = select.options.length;
        select.selectedIndex = (select.selectedIndex + Number(step.dataset.step) + n) % n;
        show();
      });
    }
    select.addEventListener("change", show);
    show();
  }

  // tips: what a mark of a figure or a cell of a ribbon says
  const tip = $("#tip");
  let actions = null;
  const text = (run, place) => {
    if (actions === null) {
      actions = new Map();
      const rows = JSON.parse($("#json-ribbons").textContent).tables.actions.rows;
      for (const row of rows) {
        if (!actions.has(row.run_id)) actions.set(row.run_id, []);
        actions.get(row.run_id).push(row);
      }
    }
    return (actions.get(run) || [])[place];
  };
  const place = (x, y) => {
    tip.hidden = false;
    const left = Math.min(x + 14, innerWidth - tip.offsetWidth - 8);
    const below = y + 18 + tip.offsetHeight < innerHeight;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${below ? y + 18 : Math.max(4, y - tip.offsetHeight - 10)}px`;
  };
  const tellCell = (cell, x, y) => {
    const number = [...cell.parentNode.children].indexOf(cell);
    const row = text(cell.parentNode.dataset.run, number);
    if (!row) return;
    tip.textContent = `${number + 1} · ${row.symbol}${row.is_error ? " · failed" : ""}`;
    const code = document.createElement("code");
    code.textContent = row.text || "";
    tip.append(code);
    place(x, y);
  };
  const hide = () => { tip.hidden = true; };
  document.addEventListener("pointermove", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const cell = target && target.closest(".cells i");
    const mark = target && target.closest("svg [aria-label]");
    if (cell) tellCell(cell, event.clientX, event.clientY);
    else if (mark) {
      tip.textContent = mark.getAttribute("aria-label");
      place(event.clientX, event.clientY);
    } else hide();
  });
  addEventListener("scroll", hide, { passive: true });

  // ribbons by keyboard: arrows move along a run
  for (const run of $$(".cells")) {
    let here = -1;
    const go = (to) => {
      if (run.children[here]) run.children[here].classList.remove("here");
      here = Math.max(0, Math.min(run.children.length - 1, to));
      const cell = run.children[here];
      if (!cell) return;
      cell.classList.add("here");
      cell.scrollIntoView({ block: "nearest", inline: "nearest" });
      const box = cell.getBoundingClientRect();
      tellCell(cell, box.left, box.bottom - 10);
    };
    run.addEventListener("keydown", (event) => {
      const moves = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: run.children.length };
      if (!(event.key in moves)) return;
      event.preventDefault();
      go(moves[event.key]);
    });
    run.addEventListener("blur", () => {
      if (run.children[here]) run.children[here].classList.remove("here");
      here = -1;
      hide();
    });
  }

  // downloads
  for (const press of $$("[data-json]")) {
    press.addEventListener("click", () => {
      const source = document.getElementById(press.dataset.json).textContent;
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([source], { type: "application/json" }));
      link.download = press.dataset.file;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }
})();
