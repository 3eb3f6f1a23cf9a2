"use strict";
(() => {
  const form = document.getElementById("filters");
  const claims = [...document.querySelectorAll(".claim")];
  const sections = [...document.querySelectorAll(".paper")];
  const texts = new Map();
  const text = (claim) => {
    if (!texts.has(claim)) texts.set(claim, (claim.id + " " + claim.textContent).toLowerCase());
    return texts.get(claim);
  };
  const apply = () => {
    const asked = new FormData(form);
    const words = asked.get("text").toLowerCase().split(/\s+/).filter(Boolean);
    const verdicts = asked.getAll("verdict"), falls = asked.getAll("falls");
    let shown = 0;
    for (const section of sections) {
      let here = 0;
      for (const claim of section.querySelectorAll(".claim")) {
        const fits = (!asked.get("paper") || section.dataset.paper === asked.get("paper"))
          && (!verdicts.length || verdicts.includes(claim.dataset.verdict))
          && (!falls.length || falls.some((one) => claim.dataset.falls.split(" ").includes(one)))
          && (!asked.get("changed") || claim.dataset.changed === "yes")
          && words.every((word) => text(claim).includes(word));
        claim.hidden = !fits;
        here += fits;
      }
      section.hidden = !here;
      shown += here;
    }
    document.getElementById("shown").textContent = `${shown} of ${claims.length} claims shown`;
    document.getElementById("none").hidden = shown > 0;
  };
  const follow = () => {
    const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!found || !found.matches(".claim")) return;
    if (found.hidden) form.reset(), apply();
    found.querySelector("details").open = true;
    found.scrollIntoView();
  };
  const opened = (claim) => claim.querySelector(":scope > details");
  form.addEventListener("input", apply);
  form.addEventListener("reset", () => setTimeout(apply));
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("open").addEventListener("click", () => {
    const visible = claims.filter((claim) => !claim.hidden).map(opened);
    const all = visible.every((details) => details.open);
    for (const details of visible) details.open = !all;
  });
  window.addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => {
    if (event.target.closest('a[href^="#"]')) setTimeout(follow);
  });
  window.addEventListener("beforeprint", () => {
    for (const claim of claims) opened(claim).open ||= !claim.hidden;
  });
  form.hidden = false;
  apply();
  follow();
})();
