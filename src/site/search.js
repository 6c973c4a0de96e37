// The search of the site: loads the index when the box is used first, from files beside this one; asks no server.
"use strict";
(function () {
  var root = document.currentScript.src.replace(/search\.js$/, "");
  var box = document.getElementById("search");
  var input = document.getElementById("query");
  var list = document.getElementById("found");
  var count = document.getElementById("found-count");
  var shown = 50;
  var shards = [];
  var shardCount = 1;
  var isAsked = false;
  var isEntered = false;
  var isBroken = false;
  box.hidden = false;

  function load(number) {
    var script = document.createElement("script");
    script.src = root + "search/" + number + ".js";
    script.onerror = function () {
      isBroken = true;
      shards[number] = { lines: [], lower: [] };
      arrived();
    };
    document.head.appendChild(script);
  }

  // Called by the files of the index.
  window.merkleIndex = function (number, of, text) {
    shards[number] = { lines: text.split("\n"), lower: text.toLowerCase().split("\n") };
    shardCount = of;
    for (var next = 1; number === 0 && next < of; next += 1) {
      load(next);
    }
    arrived();
  };

  // Who has left the box meanwhile is shown nothing, and led nowhere.
  function arrived() {
    if (box.contains(document.activeElement)) {
      find();
      if (isEntered && isComplete()) {
        open();
      }
    }
  }

  function isComplete() {
    return shards.filter(Boolean).length === shardCount;
  }

  // Leads to the first page that was found; as soon as all of the index is here.
  function open() {
    var first = list.querySelector("a");
    isEntered = !isComplete();
    if (first && !isEntered) {
      first.click();
    }
  }

  function rank(path, term) {
    var end = path.charAt(path.length - 1) === "/" ? path.length - 1 : path.length;
    var at = path.slice(path.lastIndexOf("/", end - 1) + 1).indexOf(term);
    return at === 0 ? 0 : at > 0 ? 1 : 2;
  }

  function matches(terms) {
    var ranks = [[], [], []];
    var total = 0;
    shards.forEach(function (shard) {
      shard.lower.forEach(function (line, at) {
        var tab = line.indexOf("\t");
        var path = tab < 0 ? line : line.slice(0, tab);
        for (var number = 0; number < terms.length; number += 1) {
          if (path.indexOf(terms[number]) < 0) {
            return;
          }
        }
        if (path !== "") {
          total += 1;
          var same = ranks[rank(path, terms[terms.length - 1])];
          if (same.length < 4 * shown) {
            same.push(shard.lines[at]);
          }
        }
      });
    });
    ranks.forEach(function (same) {
      same.sort(function (one, other) {
        return one.length - other.length || (one < other ? -1 : 1);
      });
    });
    return { total: total, lines: ranks[0].concat(ranks[1], ranks[2]).slice(0, shown) };
  }

  function address(path) {
    return "tree/" + (path.charAt(path.length - 1) === "/" ? path + "index.html" : path + ".html");
  }

  function find() {
    var terms = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.textContent = "";
    count.textContent = "";
    if (terms.length === 0) {
      return;
    }
    var found = matches(terms);
    found.lines.forEach(function (line) {
      var parts = line.split("\t");
      var item = document.createElement("li");
      var link = document.createElement("a");
      link.href = root + (parts[1] || address(parts[0]));
      link.textContent = parts[0];
      item.appendChild(link);
      list.appendChild(item);
    });
    var more = found.total - found.lines.length;
    var counted = found.total + (found.total === 1 ? " page" : " pages")
      + (more > 0 ? ", the first " + found.lines.length + " shown" : "");
    if (isBroken) {
      count.textContent = counted + "; a part of the index cannot be loaded";
    } else if (!isComplete()) {
      count.textContent = (found.total === 0 ? "" : counted + "; ") + "the index is still loading";
    } else {
      count.textContent = found.total === 0 ? "nothing found" : counted;
    }
  }

  function step(by) {
    var links = Array.prototype.slice.call(list.querySelectorAll("a"));
    var at = links.indexOf(document.activeElement) + by;
    (links[at] || (at < 0 ? input : links[links.length - 1] || input)).focus();
  }

  input.addEventListener("focus", function () {
    if (!isAsked) {
      isAsked = true;
      load(0);
    }
  });
  input.addEventListener("input", function () {
    isEntered = false;
    find();
  });
  box.addEventListener("keydown", function (event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      step(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Escape") {
      input.value = "";
      isEntered = false;
      find();
      input.focus();
    } else if (event.key === "Enter" && document.activeElement === input && !event.isComposing && !event.ctrlKey && !event.metaKey) {
      open();
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      // Who types on in the list means the box.
      input.focus();
    }
  });
  // A click beside a result keeps the list, and one on a result leads there also where links take no focus.
  box.addEventListener("mousedown", function (event) {
    if (event.target !== input) {
      event.preventDefault();
    }
  });
  box.addEventListener("focusout", function (event) {
    if (!box.contains(event.relatedTarget)) {
      isEntered = false;
      list.textContent = "";
      count.textContent = "";
    }
  });
  box.addEventListener("focusin", function (event) {
    if (event.target === input && list.childNodes.length === 0) {
      find();
    }
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && document.activeElement !== input) {
      event.preventDefault();
      input.focus();
    }
  });
})();
