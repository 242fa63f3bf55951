// SPDX-License-Identifier: Apache-2.0
// Sorting, filtering and the theme's switch. Pages are whole without it.
(function () {
  "use strict";
  var THEMES = ["auto", "light", "dark"];

  function setUpTheme(button) {
    var root = document.documentElement;
    var label = button.querySelector("span");
    function show() {
      label.textContent = root.dataset.theme || "auto";
    }
    button.hidden = false;
    button.addEventListener("click", function () {
      var next = THEMES[(THEMES.indexOf(root.dataset.theme || "auto") + 1) % THEMES.length];
      if (next === "auto") delete root.dataset.theme;
      else root.dataset.theme = next;
      try {
        localStorage.setItem("euroglue-theme", next);
      } catch (error) {
        root.dataset.storage = "none";
      }
      show();
    });
    show();
  }

  var collator = new Intl.Collator(undefined, { numeric: true });

  // Names stay texts, also those that are numbers: an order of both kinds would be none.
  function valuesOf(rows, column) {
    return rows.map(function (row) {
      var cell = row.cells[column];
      if (cell.dataset.v === "") return null;
      return cell.tagName === "TH" ? cell.dataset.v : Number(cell.dataset.v);
    });
  }

  function compare(one, other) {
    return typeof one === "number" ? one - other : collator.compare(one, other);
  }

  // What is laid out otherwise than as a table is still told as one.
  function keepRoles(table) {
    var roles = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TD: "cell" };
    [table].concat(Array.from(table.querySelectorAll("thead, tbody, tr, td"))).forEach(function (part) {
      part.setAttribute("role", roles[part.tagName]);
    });
    table.querySelectorAll("th").forEach(function (head) {
      head.setAttribute("role", head.scope === "row" ? "rowheader" : "columnheader");
    });
  }

  function setUpBoard(table) {
    if (table.classList.contains("long")) keepRoles(table);
    var body = table.tBodies[0];
    var rows = Array.from(body.rows);
    var heads = Array.from(table.tHead.rows[0].cells);
    var form = document.querySelector("[data-filters]");
    var count = form.querySelector(".count");
    var fields = form.elements;
    var names = rows.map(function (row) { return row.dataset.name.normalize(); });

    function sort(column) {
      var head = heads[column];
      var was = head.getAttribute("aria-sort");
      var up = was ? was === "descending" : head.dataset.first === "ascending";
      var values = valuesOf(rows, column);
      var order = rows.map(function (_, place) { return place; });
      order.sort(function (one, other) {
        var a = values[one], b = values[other];
        if (a === null || b === null) return (a === null) - (b === null) || one - other;
        return (up ? compare(a, b) : compare(b, a)) || one - other;
      });
      heads.forEach(function (each) { each.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      var sorted = document.createDocumentFragment();
      order.forEach(function (place) { sorted.appendChild(rows[place]); });
      body.appendChild(sorted);
    }

    function apply() {
      var words = fields.q.value.toLowerCase().normalize().split(/\s+/).filter(Boolean);
      var fit = 0;
      rows.forEach(function (row, place) {
        var about = row.dataset;
        var fits = words.every(function (word) { return names[place].includes(word); }) &&
          (!fields.method.value || about.method === fields.method.value) &&
          (!fields.size.value || about.size === fields.size.value) &&
          (!fields.whole.checked || "whole" in about);
        fit += fits;
        if (row.hidden === fits) row.hidden = !fits;
      });
      count.textContent = fit + " of " + rows.length + " shown";
    }

    heads.forEach(function (head, column) {
      head.querySelector("button").addEventListener("click", function () { sort(column); });
    });
    heads[0].setAttribute("aria-sort", "ascending");
    form.hidden = false;
    form.addEventListener("input", apply);
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    form.addEventListener("reset", function () { setTimeout(apply, 0); });
    apply();
  }

  document.querySelectorAll("[data-theme-switch]").forEach(setUpTheme);
  document.querySelectorAll("[data-board]").forEach(setUpBoard);
})();
