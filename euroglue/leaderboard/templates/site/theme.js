// SPDX-License-Identifier: Apache-2.0
// Before anything is painted: the theme that was chosen here before, and that scripts run at all.
(function () {
  "use strict";
  var root = document.documentElement;
  root.classList.add("js");
  try {
    var chosen = localStorage.getItem("euroglue-theme");
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  } catch (error) {
    root.dataset.storage = "none";
  }
})();
