(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const GRAINS = ["stage", "row", "cell"].filter((grain) => data.runs.every((each) => grain in each.stops));
  if (data.scenes.length) GRAINS.unshift("scene");
  const HOLD = { scene: 6000, stage: 2400, row: 1300, cell: 800 };
  const ROLES = { q: "query", k: "key", v: "value", w: "weights", p: "plain", r: "result", m: "muted", o: "operator", x: "pinned" };
  const ICONS = {
    first: "M4 4h3v12H4zM17 4v12L8 10z",
    back: "M14 4v12L5 10z",
    play: "M5 3v14l12-7z",
    pause: "M5 4h4v12H5zM11 4h4v12h-4z",
    forward: "M6 4v12l9-6z",
    last: "M13 4h3v12h-3zM3 4v12l9-6z",
  };
  // What is shown: all that a person can change. `focus` is the number that was asked for, null for the step's own.
  // `scene` is the one of a lesson whose experiment is shown.
  const now = { language: data.language, grain: GRAINS[0], step: 0, head: data.runs[0].head, focus: null, timer: 0, scene: 0 };
  const run = () => data.runs[data.scenes.length ? data.scenes[now.scene].run : 0];

  // Small helpers

  const make = (tag, name = "", text = "") => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text) element.textContent = text;
    return element;
  };
  const told = (value) => (value && typeof value === "object" && "en" in value ? value[now.language] : value);
  const word = (name, values = {}) =>
    data.words[now.language][name].replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));
  const telling = () => now.grain === "scene";
  const stops = () => (telling() ? scenes.stops : run().stops[now.grain]);
  const stop = () => {
    const [stage, row, column, reach] = telling() ? scenes.stops[now.step].stop : stops()[now.step];
    return { index: stage, stage: run().stages[stage], row, column, reach };
  };
  const indexOf = (id) => run().stages.findIndex((stage) => stage.id === id);
  const headOf = (stage) => (stage.headwise ? now.head : 0);
  const place = (fraction, size) => Math.min(Math.max(fraction, 0), size - 1);

  /** The number that is explained, in the document's rows and columns. */
  const focused = () => {
    const { stage, row, column } = stop();
    const own = telling() && !now.focus ? scenes.stops[now.step].stop[5] : null;
    if (own) return { stage: indexOf(own[0]) < 0 ? "" : own[0], tensor: own[0], row: own[1], column: own[2], head: own[3], value: valueOf(own) };
    return now.focus || { stage: stage.id, row, column, head: headOf(stage) };
  };

  /** Whether a number of a stage stands there already. */
  const stands = (id, row, column) => {
    const here = stop();
    const there = indexOf(id);
    if (there !== here.index) return there < here.index;
    if (here.reach === "whole") return true;
    if (here.reach === "row") return row <= here.row;
    return row < here.row || (here.reach === "cell" && row === here.row && column <= here.column);
  };

  /** The text of an entered number that a scene points at, as an operation shows it. */
  const valueOf = ([tensor, row, column, head]) => {
    const every = run().stages.flatMap((stage) => told(stage.operations[String(stage.headwise ? head : 0)] || []));
    const operand = every.find((item) => item.tensor === tensor);
    const text = operand && run().matrices[operand.matrix].text;
    return text ? (operand.turned ? text[column][row] : text[row][column]) : "";
  };

  // Lines of mathematics

  const write = (element, line) => {
    element.replaceChildren();
    if (!line) return;
    for (const piece of line.split("\t")) {
      const level = { _: " lowered", "^": " raised" }[piece[1]] || "";
      element.append(make("span", ROLES[piece[0]] + level, piece.slice(2)));
    }
  };

  /** A text, the indices of its symbols below the line: X_C, W_Q, d_model. */
  const say = (element, text) => {
    element.replaceChildren();
    let end = 0;
    for (const name of (text || "").matchAll(/(^|[^A-Za-z0-9_])([A-Za-z])_(model|[A-Za-z])(?![A-Za-z0-9_])/g)) {
      element.append(text.slice(end, name.index) + name[1] + name[2], make("sub", "", name[3]));
      end = name.index + name[0].length;
    }
    element.append((text || "").slice(end));
    return element;
  };

  // Matrices

  const scale = () => {
    const { colours, ink } = data.scale[dark.matches ? "dark" : "light"];
    return { background: (at) => "#" + colours.slice(at * 6, at * 6 + 6), ink: (at) => (ink[at] === "1" ? "#10161f" : "#ffffff") };
  };

  /** Whether an axis has tokens: it says which of the two sentences they are of, or null. */
  const worded = (operand, axis) => operand.tokens[axis] !== null;
  const label = (operand, axis, index) => (worded(operand, axis) ? run().sentences[operand.tokens[axis]][index] : String(index + 1));

  /** Rows and columns of the operand that feed the number that is worked out: [from, to, from, to] or null. */
  const marked = (operand, stage, cell) => {
    const matrix = run().matrices[operand.matrix];
    const size = matrix.size || [matrix.text.length, matrix.text[0].length];
    const along = (axis) => {
      const name = operand.axes[axis];
      const turns = stage.id.endsWith("_rot") && operand.stage !== stage.id;
      if (name === "i") return [cell.row, cell.row + 1];
      if (name === "j" && turns) return [cell.column - (cell.column % 2), Math.min(cell.column - (cell.column % 2) + 2, size[axis])];
      if (name === "j") return [cell.column, cell.column + 1];
      if (name === "g") return [cell.column >> 1, (cell.column >> 1) + 1];
      if (name === "v") {
        const own = cell.column - operand.head * stage.wide;
        return own >= 0 && own < stage.wide ? [own, own + 1] : null;
      }
      return [0, size[axis]];
    };
    const rows = along(0);
    const columns = along(1);
    return rows && columns && rows[1] <= size[0] && columns[1] <= size[1] ? [...rows, ...columns] : null;
  };

  /** Whether a cell of an operand stands, by its place as it is seen. */
  const shows = (operand, row, column) => {
    if (operand.lead) {
      const here = stop();
      return here.reach === "whole" || (operand.axes[0] === "i" ? row : column) <= here.row;
    }
    if (!operand.stage) return true;
    return operand.turned ? stands(operand.stage, column, row) : stands(operand.stage, row, column);
  };

  const painter = document.createElement("canvas").getContext("2d");
  const wide = (text, size) => {
    painter.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
    return painter.measureText(text).width;
  };

  /** How large the cells of each matrix are. All in one row with digits, or one below the other where that is not
      long; else what goes in is small and without digits, and what comes out as large as fits. */
  const measure = (operands) => {
    const room = byId("operation").clientWidth;
    const sizes = operands.map(shapeOf);
    const spare = (digits, some) => room - 40 * some.length - sum(some, (size) => fullWidth(size, digits));
    const digits = [16, 15, 14, 13, 12, 11].find((each) => spare(each, sizes) >= 0);
    if (digits) {
      const more = spare(digits, sizes) / sum(sizes, (size) => size.columns);
      return sizes.map((size) => cells(need(size, digits) + Math.min(more, 26), digits, size.rows, room));
    }
    const given = sizes.slice(0, -1);
    const result = fitted(sizes[given.length], room, 16);
    const less = [14, 13, 12, 11].find((each) => spare(each, given) >= 0);
    const rows = sum(sizes, (size) => size.rows + 3);
    if (room < 720 && result.digits && less) return [...given.map((size) => cells(need(size, less), less, size.rows, room)), result];
    const alone = sizes.map((size) => fitted(size, room, rows > 18 ? 13 : 16));
    if (rows <= 26 && alone.every((size) => size.digits)) return alone;
    return crowded(given, sizes[given.length], result, room);
  };

  /** What goes in small and without digits, beside what comes out or, where there is no room, above it. */
  const crowded = (given, last, result, room) => {
    const columns = sum(given, (size) => size.columns);
    const beside = room - last.columns * (result.width + 2) - last.labels - 60 * (given.length + 1);
    const named = (beside - sum(given, (size) => size.labels)) / columns - 2;
    const bare = beside / columns - 2;
    const above = (room - 50 * given.length) / columns - 2;
    const side = Math.floor(named >= 13 ? Math.min(named, 18) : Math.min(12, bare >= 7 ? bare : Math.max(above, 4)));
    return [...given.map(() => ({ width: side, height: side, digits: 0, bare: side < 13 })), result];
  };

  const sum = (items, value) => items.reduce((total, item) => total + value(item), 0);

  const shapeOf = (operand) => {
    const text = run().matrices[operand.matrix].text;
    const longest = text.flat().reduce((a, b) => (b.length > a.length ? b : a), "");
    const names = operand.labelled && worded(operand, 0) ? run().sentences[operand.tokens[0]] : [];
    const labels = names.reduce((most, name) => Math.max(most, Math.min(wide(name, 13), 78)), 0) + 16;
    const axes = operand.labelled ? operand.names.reduce((most, name) => Math.max(most, wide(name, 12)), 0) + 10 : 0;
    return { rows: text.length, columns: text[0].length, longest: wide(longest, 16), labels: Math.max(labels, axes) };
  };

  const need = (size, digits) => (size.longest * digits) / 16 + (digits < 14 ? 7 : 12);
  const fullWidth = (size, digits) => size.labels + size.columns * (need(size, digits) + 2);

  /** As wide as the page at most, with digits where they can be read. */
  const fitted = (size, room, most) => {
    const widest = (room - size.labels - 8) / size.columns - 2;
    const digits = Math.min(most, Math.floor((16 * (widest - 6)) / size.longest));
    if (digits >= 10) return cells(Math.min(widest, need(size, digits) + 8), digits, size.rows, room);
    return { width: Math.min(widest, 22), height: Math.min(widest, 22), digits: 0 };
  };

  const overviewHeight = () => (byId("overview").open ? byId("map").offsetHeight : 0);

  const cells = (width, digits, rows, room) => {
    const high = room < 720 ? digits * 2 : Math.max(22, Math.min(44, (window.innerHeight - 420 - overviewHeight()) / rows));
    return { width, height: Math.max(Math.min(width * 0.64, high), digits + 9), digits };
  };

  const caption = (operand, rows, columns) => {
    const element = make("figcaption");
    write(element, operand.title);
    element.append(make("small", "", `${rows}×${columns}`));
    return element;
  };

  const asImage = (operand) => {
    const matrix = run().matrices[operand.matrix];
    const [rows, columns] = matrix.size;
    const element = make("figure", operand.off ? "off" : "");
    element.append(caption(operand, rows, columns));
    if (!shows(operand, 0, 0)) return element;
    const image = make("img");
    const side = Math.min(byId("operation").clientWidth - 24, 300);
    image.src = matrix.image[dark.matches ? "dark" : "light"];
    image.alt = element.textContent;
    image.style.width = `${Math.max(40, (side * columns) / Math.max(rows, columns))}px`;
    image.style.height = `${Math.max(40, (side * rows) / Math.max(rows, columns))}px`;
    element.append(image);
    return element;
  };

  const asTable = (operand, size, stage, cell) => {
    const { text, colour } = run().matrices[operand.matrix];
    const element = make("figure", operand.off ? "off" : "");
    const table = make("table", size.bare ? "bare" : size.width < 24 && worded(operand, 1) ? "narrow" : "");
    const named = operand.labelled && worded(operand, 0) && !size.bare;
    const mark = marked(operand, stage, cell);
    element.append(caption(operand, text.length, text[0].length), table);
    if (text[0].length > 1 && !size.bare) table.append(columnNames(operand, text[0].length, named, mark, size.width));
    const body = make("tbody");
    table.append(body);
    const paint = scale();
    text.forEach((numbers, row) => {
      const line = make("tr");
      if (named) {
        const name = make("th", mark && row >= mark[0] && row < mark[1] && mark[1] - mark[0] < text.length ? "here" : "", label(operand, 0, row));
        name.scope = "row";
        line.append(name);
      }
      numbers.forEach((number, column) => line.append(cellOf(operand, number, colour[row][column], row, column, size, paint)));
      body.append(line);
    });
    if (mark && (!operand.stage || operand.stage !== stage.id || !leading())) frame(element, body, mark, operand, stage);
    return element;
  };

  const leading = () => stop().reach === "lead" && !now.focus;

  const columnNames = (operand, count, named, mark, width) => {
    const header = make("thead");
    const line = make("tr");
    header.append(line);
    if (named) {
      const axes = make("th", "axis");
      axes.append(...operand.names.filter(Boolean).map((name) => make("div", "", name)));
      line.append(axes);
    }
    for (let column = 0; column < count; column += 1) {
      const here = mark && column >= mark[2] && column < mark[3] && mark[3] - mark[2] < count;
      const told = width >= 22 || worded(operand, 1) || here || column === 0 || (column + 1) % 5 === 0;
      const name = make("th", here ? "here" : "", told ? label(operand, 1, column) : "");
      name.scope = "col";
      line.append(name);
    }
    return header;
  };

  const cellOf = (operand, number, colour, row, column, size, paint) => {
    const cell = make("td");
    cell.style.width = cell.style.minWidth = `${size.width}px`;
    cell.style.height = `${size.height}px`;
    cell.style.fontSize = `${size.digits || 1}px`;
    const [own, other] = operand.turned ? [column, row] : [row, column];
    const names = `${label(operand, 0, row)}, ${label(operand, 1, column)}`;
    if (!shows(operand, row, column)) {
      cell.className = "ghost";
      cell.setAttribute("aria-label", `${names}: ${word("ghost")}`);
      return cell;
    }
    const masked = number === "−∞";
    cell.setAttribute("aria-label", `${names}: ${masked ? word("masked") : number}`);
    if (masked) cell.className = "masked";
    else {
      cell.style.background = paint.background(colour);
      cell.style.color = paint.ink(colour);
    }
    if (run().pins.some((pin) => pin[0] === operand.stage && pin[1] === operand.head && pin[2] === own && pin[3] === other)) cell.classList.add("pinned");
    if (size.digits) cell.textContent = number;
    if (operand.tensor) {
      cell.addEventListener("click", () => {
        now.focus = { stage: operand.stage, tensor: operand.tensor, row: own, column: other, head: operand.head, value: number };
        show();
      });
    }
    return cell;
  };

  const frame = (element, body, mark, operand, stage) => {
    const box = make("div", `frame ${operand.stage === stage.id ? "result" : operand.role}`);
    element.append(box);
    frames.push(() => {
      const at = (row, column) => body.rows[row].querySelectorAll("td")[column];
      const first = at(mark[0], mark[2]).getBoundingClientRect();
      const last = at(mark[1] - 1, mark[3] - 1).getBoundingClientRect();
      const outer = element.getBoundingClientRect();
      box.style.left = `${first.left - outer.left - 3}px`;
      box.style.top = `${first.top - outer.top - 3}px`;
      box.style.width = `${last.right - first.left + 6}px`;
      box.style.height = `${last.bottom - first.top + 6}px`;
    });
  };
  let frames = []; // what is put in place once everything stands

  const signOf = (item) => {
    const element = make("div", "sign");
    if (item.above) element.append(make("small", "", item.above));
    element.append(item.sign);
    return element;
  };

  const showOperation = (stage) => {
    const cell = focused().stage === stage.id ? focused() : stop();
    const choice = stage.id === "concat" ? Math.floor(cell.column / stage.wide) : headOf(stage);
    const items = told(stage.operations[String(choice)]);
    const operands = items.flatMap((item) => item.pile || (item.sign === undefined ? [item] : []));
    const sizes = run().small ? measure(operands) : [];
    const drawn = new Map(operands.map((operand, i) => [operand, run().small ? asTable(operand, sizes[i], stage, cell) : asImage(operand)]));
    const shown = items.map((item) => {
      if (item.sign !== undefined) return signOf(item);
      if (!item.pile) return drawn.get(item);
      const pile = make("div", "pile");
      pile.append(...item.pile.map((operand) => drawn.get(operand)));
      return pile;
    });
    byId("operation").replaceChildren(...shown);
    frames.forEach((fit) => fit());
    frames = [];
  };

  // The worked sum

  const whereOf = (cell, stage) => {
    const name = told(stage.name);
    const row = run().sentences[stage.rows][cell.row];
    if (leading()) return word("where_lead", { stage: name, row });
    if (stage.attends) return word("where_pair", { stage: name, row, column: run().sentences[1][cell.column] });
    if (stage.words) return word("where_word", { stage: name, row, word: run().sentences[2][cell.column] });
    if (data.columns) return word("where_column", { stage: name, row: cell.column + 1, column: row });
    return word("where_row", { stage: name, row, column: cell.column + 1 });
  };

  const sumOf = (cell, stage) => {
    if (leading()) return told(stage.leads[String(cell.head)][cell.row]);
    const sums = stage.sums[String(cell.head)];
    if (!stands(stage.id, cell.row, cell.column)) return "m " + word("ahead");
    return sums ? told(sums[cell.row][cell.column]) : "m " + word("no_sum");
  };

  const showSum = () => {
    const cell = focused();
    const stage = run().stages[indexOf(cell.stage)];
    byId("card").hidden = !run().small;
    byId("sum-name").textContent = word("sum");
    if (!run().small) return;
    say(byId("where"), stage ? whereOf(cell, stage) : cell.tensor);
    write(byId("sum"), stage ? sumOf(cell, stage) : "m " + word("given", { value: cell.value }));
    write(byId("next"), told(stop().stage.next));
  };

  // Everything

  const showStages = () => {
    const here = stop().index;
    const bar = byId("stages");
    bar.setAttribute("aria-label", word("stages"));
    const buttons = run().stages.map((stage, index) => {
      const button = say(make("button", index < here ? "done" : ""), stage.symbol);
      button.type = "button";
      button.title = told(stage.name);
      button.setAttribute("aria-label", told(stage.name));
      if (index === here) button.setAttribute("aria-current", "step");
      button.addEventListener("click", () => toStage(index));
      return button;
    });
    bar.replaceChildren(...buttons);
    const middle = buttons[here].offsetLeft + buttons[here].offsetWidth / 2;
    bar.scrollLeft = middle - bar.clientWidth / 2;
  };

  const showDiagram = () => {
    byId("overview").querySelector("summary").textContent = word("diagram");
    if (byId("overview").open) diagram.show(byId("map"), told(run().diagrams[run().stages[stop().index].diagram]), stop().index);
  };

  const showWords = () => {
    document.documentElement.lang = now.language.replace("_", "-");
    document.title = told(data.title);
    say(byId("title"), told(data.title));
    const { stage, row, reach } = stop();
    const scene = telling() ? data.scenes[now.scene] : null;
    say(byId("ask"), told(scene ? scene.title : stage.ask));
    const said = scene && told(scene.say);
    say(byId("text"), said || (reach === "lead" ? told(stage.first[row]) : told(stage.text)));
    const masked = run().small && told(stage.masked[String(focused().stage === stage.id ? focused().row : row)]);
    byId("note").hidden = !masked && run().small;
    byId("note").textContent = run().small ? masked || "" : word("large", { n: run().n });
    byId("hint").textContent = word("hint");
    byId("hint").hidden = !run().small;
  };

  const countText = (steps) => {
    if (!telling()) return word("step", { step: now.step + 1, steps });
    const { scene, step } = scenes.stops[now.step];
    const own = data.scenes[scene].stops.length;
    const values = { scene: scene + 1, scenes: data.scenes.length, step: step + 1, steps: own };
    return word(own > 1 ? "scene_step" : "scene_count", values);
  };

  const showControls = () => {
    const steps = stops().length;
    const slider = byId("slider");
    slider.max = String(steps);
    slider.value = String(now.step + 1);
    slider.setAttribute("aria-label", word("timeline"));
    const count = countText(steps);
    slider.setAttribute("aria-valuetext", count);
    byId("count").textContent = count;
    byId("spoken").textContent = `${told(stop().stage.name)}. ${count}`;
    for (const button of byId("buttons").children) {
      const id = button.id;
      button.disabled = (id === "first" || id === "back" ? now.step === 0 : now.step === steps - 1) && id !== "play";
      const name = id === "play" && now.timer ? "pause" : id;
      button.title = word(name);
      button.setAttribute("aria-label", word(name));
      button.querySelector("path").setAttribute("d", ICONS[name]);
    }
    byId("grain").setAttribute("aria-label", word("grain"));
    byId("grain").hidden = GRAINS.length < 2;
    for (const button of byId("grain").children) {
      const name = button.dataset.value === "row" && data.columns ? "column" : button.dataset.value;
      button.textContent = word(name);
      button.setAttribute("aria-pressed", String(button.dataset.value === now.grain));
    }
    for (const button of byId("language").children) button.setAttribute("aria-pressed", String(button.dataset.value === now.language));
    const heads = byId("head");
    heads.hidden = run().heads.length < 2;
    heads.setAttribute("aria-label", word("head"));
    heads.replaceChildren(...run().heads.map((head) => new Option(told(head.name), head.index, false, head.index === now.head)));
  };

  const show = () => {
    const { stage } = stop();
    showWords();
    scenes.show(now.scene, telling());
    showStages();
    showDiagram();
    showOperation(stage);
    showSum();
    showControls();
    document.body.dataset.step = String(now.step + 1);
    document.body.dataset.stage = stage.id;
    if (telling()) document.body.dataset.scene = String(now.scene + 1);
    else delete document.body.dataset.scene;
  };

  // What a person may do

  const go = (step) => {
    const to = place(step, stops().length);
    if (to === now.step && !now.focus) return;
    now.step = to;
    arrive();
    remember();
    show();
  };

  /** What comes with a step: of a scene its experiment and its head. */
  const arrive = () => {
    now.focus = null;
    if (!telling()) return;
    now.scene = scenes.stops[now.step].scene;
    now.head = scenes.stops[now.step].stop[4];
  };

  const toScene = (index) => {
    now.grain = "scene";
    now.step = scenes.stops.findIndex((each) => each.scene === index);
    arrive();
    remember();
    show();
  };

  /** The last stop of a stage, where it is complete. A lesson's own way is left for it. */
  const toStage = (index) => {
    if (telling()) now.grain = GRAINS[1];
    const at = stops().findLastIndex((each) => each[0] === index);
    if (at < 0) return;
    now.step = -1;
    go(at);
  };

  const choose = (name, value) => {
    if (name === "grain" && value === "scene") return toScene(now.scene);
    if (name === "grain") {
      const { index, row, column } = stop();
      const whole = now.step === stops().findLastIndex((each) => each[0] === index);
      now.grain = value;
      const own = stops().findIndex((each) => each[0] === index && each[1] === row && (value !== "cell" || each[2] === column) && each[3] !== "lead");
      now.step = whole || own < 0 ? stops().findLastIndex((each) => each[0] === index) : own;
    } else now[name] = value;
    if (name !== "language") now.focus = null;
    remember();
    return show();
  };

  const play = (on) => {
    clearInterval(now.timer);
    now.timer = 0;
    if (on) {
      if (now.step === stops().length - 1) go(0);
      now.timer = setInterval(() => {
        if (now.step === stops().length - 1) play(false);
        else go(now.step + 1);
      }, HOLD[now.grain]);
    }
    showControls();
  };

  const moveFocus = (down, right) => {
    const cell = focused();
    const stage = run().stages[indexOf(cell.stage)];
    if (!stage || !run().small) return;
    const [dRow, dColumn] = data.columns ? [right, down] : [down, right];
    now.focus = { ...cell, row: place(cell.row + dRow, stage.shape[0]), column: place(cell.column + dColumn, stage.shape[1]) };
    show();
  };

  // The place in the address, so that it can be kept and passed on

  const remember = () => {
    const parts = { step: now.step + 1, grain: now.grain, head: now.head + 1, lang: now.language };
    if (data.scenes.length) parts.scene = now.scene + 1;
    try {
      history.replaceState(null, "", "#" + new URLSearchParams(parts));
    } catch {
      // some browsers refuse this for a page that was opened as a file
    }
  };

  const recall = () => {
    const parts = new URLSearchParams(location.hash.slice(1));
    if (parts.get("lang") in data.languages) now.language = parts.get("lang");
    if (GRAINS.includes(parts.get("grain"))) now.grain = parts.get("grain");
    now.scene = place((parseInt(parts.get("scene"), 10) || 1) - 1, Math.max(data.scenes.length, 1));
    const head = Number(parts.get("head")) - 1;
    if (run().heads.some((each) => each.index === head)) now.head = head;
    now.step = place((parseInt(parts.get("step"), 10) || 1) - 1, stops().length);
    arrive();
  };

  // Buttons, keys, fingers

  const icon = (name) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    svg.setAttribute("viewBox", "0 0 20 20");
    svg.setAttribute("aria-hidden", "true");
    path.setAttribute("d", ICONS[name]);
    svg.append(path);
    return svg;
  };

  const DO = {
    first: () => go(0),
    back: () => go(now.step - 1),
    play: () => play(!now.timer),
    forward: () => go(now.step + 1),
    last: () => go(stops().length - 1),
  };

  const build = () => {
    for (const [name, act] of Object.entries(DO)) {
      const button = make("button", name);
      button.type = "button";
      button.id = name;
      button.append(icon(name));
      button.addEventListener("click", () => {
        if (name !== "play") play(false);
        act();
      });
      byId("buttons").append(button);
    }
    const choices = (id, values) => {
      for (const [value, text] of values) {
        const button = make("button", "", text);
        button.type = "button";
        button.dataset.value = value;
        button.addEventListener("click", () => choose(id, value));
        byId(id).append(button);
      }
    };
    choices("language", Object.entries(data.languages));
    choices("grain", GRAINS.map((grain) => [grain, grain]));
    byId("scene").addEventListener("change", (event) => {
      play(false);
      toScene(Number(event.target.value));
    });
    byId("overview").addEventListener("toggle", show);
    byId("head").addEventListener("change", (event) => choose("head", Number(event.target.value)));
    byId("slider").addEventListener("input", (event) => go(Number(event.target.value) - 1));
  };

  const KEYS = {
    ArrowRight: DO.forward, ArrowLeft: DO.back, PageDown: DO.forward, PageUp: DO.back, Home: DO.first, End: DO.last,
  };
  const WALK = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

  const onKey = (event) => {
    if (event.altKey || event.metaKey || event.target.tagName === "SELECT") return;
    if (event.shiftKey && event.key in WALK) moveFocus(...WALK[event.key]);
    else if (event.ctrlKey && event.key === "ArrowRight") toStage(Math.min(stop().index + 1, run().stages.length - 1));
    else if (event.ctrlKey && event.key === "ArrowLeft") toStage(Math.max(stop().index - 1, 0));
    else if (event.ctrlKey || event.shiftKey) return;
    else if (event.key in KEYS) {
      play(false);
      KEYS[event.key]();
    } else if (event.key === " " && !["BUTTON", "SUMMARY"].includes(event.target.tagName)) DO.play();
    else return;
    event.preventDefault();
  };

  let touch = null;
  const onTouch = (event) => {
    const point = event.touches.length === 1 && !event.target.closest("#map, #lab") ? event.touches[0] : null;
    touch = point && { x: point.clientX, y: point.clientY };
  };
  const onRelease = (event) => {
    if (!touch) return;
    const point = event.changedTouches[0];
    const across = point.clientX - touch.x;
    const down = point.clientY - touch.y;
    touch = null;
    if (Math.abs(across) < 50 || Math.abs(across) < 2 * Math.abs(down)) return;
    play(false);
    (across < 0 ? DO.forward : DO.back)();
  };

  // The parts that stand in files of their own

  const shortened = (text, size, room) => {
    if (wide(text, size) <= room) return text;
    const signs = [...text];
    while (signs.length > 1 && wide(signs.join("") + "…", size) > room) signs.pop();
    return `${signs.join("")}…`;
  };
  const shade = () => (dark.matches ? "dark" : "light");
  const scenes = makeScenes({ data, told, word, shade, say });
  const diagram = makeDiagram({
    wide, shortened, label, scale, shade, shows, toStage,
    tokens: (which) => run().sentences[which],
    stage: (index) => run().stages[index],
    matrix: (operand) => run().matrices[operand.matrix],
    result: (stage) => told(stage.operations[String(stage.id === "concat" ? 0 : headOf(stage))]).at(-1),
  });

  build();
  recall();
  show();
  document.addEventListener("keydown", onKey);
  byId("main").addEventListener("touchstart", onTouch, { passive: true });
  byId("main").addEventListener("touchend", onRelease);
  dark.addEventListener("change", show);
  window.addEventListener("resize", show);
  window.addEventListener("hashchange", () => {
    recall();
    show();
  });
})();
