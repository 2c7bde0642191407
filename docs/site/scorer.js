// How the search orders its results: a page or section whose title has the words as they were typed
// comes first, and pages for contributors last. The other numbers are those of Sphinx.
const typed = (text) => text.toLowerCase().replace(/[\s_-]+/g, "");
const query = typed(new URLSearchParams(window.location.search).get("q") || "");
const forContributors =
    /^(architecture|benchmarks\/|changelog|contributing|internals\/|tested|versions)/;

var Scorer = {
    score: ([page, title, , , score]) => {
        const words = typed(title.split(" > ").pop());
        if (query && words.includes(query)) score += 20 + (20 * query.length) / words.length;
        return forContributors.test(page) ? score - 100 : score;
    },
    objNameMatch: 11,
    objPartialMatch: 6,
    objPrio: { 0: 15, 1: 5, 2: -5 },
    objPrioDefault: 0,
    title: 15,
    partialTitle: 7,
    term: 5,
    partialTerm: 2,
};
