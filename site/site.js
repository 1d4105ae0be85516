// Fixes elements of the theme: buttons next to code and parts of a table of contents are not landmarks, and the keyboard can scroll wide
// tables.
const complete = () => {
  for (const buttons of document.querySelectorAll("nav.md-code__nav:not([role])")) buttons.setAttribute("role", "none");
  for (const part of document.querySelectorAll(".md-nav--secondary nav:not([role])")) {
    part.removeAttribute("aria-label");
    part.setAttribute("role", "none");
  }
  for (const wide of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) wide.tabIndex = 0;
  // The corner of a table is not a header.
  for (const corner of document.querySelectorAll("thead th:empty")) corner.replaceWith(document.createElement("td"));
};
new MutationObserver(complete).observe(document.body, { childList: true, subtree: true });
complete();
