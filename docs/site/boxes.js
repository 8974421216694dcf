"use strict";
// Quiz, predictions and guesses: the page's own text becomes boxes that answer. What was answered stays in this browser.

/** A fair order that stays the same while the page is open. */
function shuffled(list) {
  const result = [...list];
  for (let i = result.length - 1; i > 0; --i) {
    const j = Math.floor(Math.random() * (i + 1));
    [result[i], result[j]] = [result[j], result[i]];
  }
  return result;
}

function quiz(box) {
  const key = "quiz." + box.dataset.quiz;
  const answered = memory.get(key) ?? {};
  const questions = [...box.querySelectorAll(":scope > ol > li")];
  const total = element("strong", {role: "status"});

  const score = () => {
    const given = questions.filter((q) => q.dataset.id in answered);
    const right = given.filter((q) => answered[q.dataset.id] === Number(q.dataset.answer));
    total.textContent = given.length === 0 ? `${questions.length} questions` : `${right.length} of ${questions.length} right` +
      (given.length < questions.length ? `, ${questions.length - given.length} to go` : "");
  };

  const ask = (question) => {
    const text = question.querySelector(".question");
    const choices = question.querySelector(".choices");
    const why = question.querySelector(".why");
    const answer = Number(question.dataset.answer);
    const verdict = element("p", {class: "verdict", role: "status"});
    text.id = "question-" + question.dataset.id;
    const fields = element("div", {role: "radiogroup", "aria-labelledby": text.id});
    const labels = [...choices.children].map((choice, index) => {
      const input = element("input", {type: "radio", name: key + "." + question.dataset.id, value: String(index)});
      return element("label", {class: "choice", "data-choice": String(index)}, input, element("span", {}, ...choice.cloneNode(true).childNodes));
    });
    fields.append(...shuffled(labels));
    const check = element("button", {type: "button"}, "Check");
    check.disabled = true;

    // The letter in front belongs to the order that the file has.
    why.querySelector("strong").remove();
    const explanation = element("div", {class: "why"}, ...why.querySelectorAll("p"));
    if (document.getElementById(question.dataset.section)) {
      explanation.append(element("p", {}, element("a", {href: "#" + question.dataset.section}, "The section that tells it")));
    }
    explanation.hidden = true;

    const reveal = (chosen) => {
      const right = chosen === answer;
      for (const label of labels) {
        const index = Number(label.dataset.choice);
        label.firstChild.checked = index === chosen;
        label.firstChild.disabled = true;
        label.classList.toggle("right", index === answer);
        label.classList.toggle("wrong", index === chosen && !right);
      }
      verdict.textContent = right ? "Right." : "Not quite.";
      verdict.className = "verdict " + (right ? "right" : "wrong");
      check.hidden = true;
      explanation.hidden = false;
    };
    fields.addEventListener("change", () => (check.disabled = false));
    check.addEventListener("click", () => {
      const chosen = Number(fields.querySelector("input:checked").value);
      answered[question.dataset.id] = chosen;
      memory.set(key, answered);
      reveal(chosen);
      score();
    });
    choices.remove();
    why.replaceWith(fields, check, verdict, explanation);
    if (question.dataset.id in answered) reveal(answered[question.dataset.id]);
  };

  questions.forEach(ask);
  const again = element("button", {type: "button"}, "Start over");
  again.addEventListener("click", () => {
    memory.set(key, {});
    location.reload();
  });
  box.append(element("div", {class: "score"}, total, again));
  score();
}

function predict(box) {
  const key = "predict." + box.dataset.exercise;
  const given = memory.get(key) ?? {};
  for (const question of box.querySelectorAll(":scope > ol > li")) {
    const input = question.querySelector("input");
    input.value = given[question.dataset.id] ?? "";
    input.addEventListener("change", () => {
      given[question.dataset.id] = input.value;
      memory.set(key, given);
    });
  }
}

/** A fold "Predict: ..." in a lesson gets a box before it, so that a number is written down before the answer is seen. */
function guess(fold, index) {
  const key = "guess." + location.pathname.split("/").slice(-2).join("/") + "." + index;
  const id = "guess-" + index;
  const input = element("input", {type: "text", id, size: "14", autocomplete: "off"});
  const note = element("span", {class: "note", role: "status"});
  input.value = memory.get(key) ?? "";
  input.addEventListener("change", () => {
    memory.set(key, input.value);
    note.textContent = input.value === "" ? "" : "Noted. Open the fold and compare.";
  });
  // A summary that asks, asks before the box; then the fold is only to be opened.
  const summary = fold.querySelector("summary"), label = element("label", {for: id}, "Your prediction:");
  if (summary.textContent.trim().startsWith("Predict")) {
    label.replaceChildren(...summary.childNodes);
    summary.textContent = "Look";
  }
  fold.before(element("p", {class: "guess-line"}, label, input, note));
  fold.addEventListener("toggle", () => {
    if (fold.open && input.value !== "") note.textContent = "You said " + input.value + ".";
  });
}

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".quiz").forEach(quiz);
  document.querySelectorAll(".predict").forEach(predict);
  document.querySelectorAll("details.guess").forEach(guess);
});
