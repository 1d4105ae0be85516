// Tests of the parts that need no browser.

import assert from "node:assert/strict";
import { build } from "esbuild";

const bundled = async (path) => {
  const { outputFiles } = await build({ entryPoints: [new URL(path, import.meta.url).pathname], bundle: true, write: false, format: "esm" });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
};
const [state, files, presets] = await Promise.all(["../src/play/state.ts", "../src/files.ts", "../src/play/presets.ts"].map(bundled));

const FORMATS = [{ id: "brat", extensions: ["ann"], companion: "txt" }, { id: "apf", extensions: ["apf.xml", "apf"], companion: "sgm" }];
const dropped = (...paths) => paths.map((path) => ({ path: path.split("/"), bytes: new Uint8Array(3) }));
const named = (inputs) => inputs.map(({ name, file, count, size }) => [name, file, count, size]);

export const unitTests = {
  "a link holds every mention": () => {
    const game = { key: [["a,b", "c;d"], ["é & =#%"]], response: [["a,b"], ["é & =#%", "דן"]] };
    assert.deepEqual(state.fromAddress(state.address(game, "b_cubed:weight=entity")), { game, metric: "b_cubed:weight=entity" });
    assert.deepEqual(state.fromAddress("#play&key=a,a;a,b;&response=;"), { game: { key: [["a"], ["b"]], response: [] }, metric: "" }, "a mention counts once");
    for (const broken of ["", "#play", "#play&key=a", "#play&key=%&response=a"]) assert.equal(state.fromAddress(broken), undefined, broken);
  },

  "mentions move, and empty entities go": () => {
    const game = { key: [["a", "b"], ["c"]], response: [["a"]] };
    assert.deepEqual(state.moved(game, "key", "c", 0).key, [["a", "b", "c"]]);
    assert.deepEqual(state.moved(game, "key", "a", 2).key, [["b"], ["c"], ["a"]]);
    assert.deepEqual(state.moved(game, "key", "a", 0).key, game.key, "it stays where it is");
    assert.deepEqual(state.moved(game, "key", "c", undefined).key, [["a", "b"]]);
    assert.deepEqual(state.moved(game, "response", "b", 1).response, [["a"], ["b"]]);
    assert.deepEqual(state.missing(game, "response"), ["b", "c"]);
    assert.deepEqual(state.added(game), { key: [["a", "b"], ["c"], ["d"]], response: [["a"], ["d"]] });
    assert.deepEqual(state.without(game, "a"), { key: [["b"], ["c"]], response: [] });
  },

  "files become inputs": () => {
    const { inputsOf, laidOut, joined } = files;
    assert.deepEqual(named(inputsOf(dropped("a.conll", "b.conll"), FORMATS)), [["a.conll", "a.conll", 1, 3], ["b.conll", "b.conll", 1, 3]]);
    assert.deepEqual(named(inputsOf(dropped("a.txt", "a.ann", "b.ann.gz", "b.txt.gz", "c.txt"), FORMATS)), [["a.ann", "a.ann", 2, 6], ["b.ann.gz", "b.ann.gz", 2, 6], ["c.txt", "c.txt", 1, 3]]);
    assert.deepEqual(named(inputsOf(dropped("x.sgm", "x.apf.xml"), FORMATS)), [["x.apf.xml", "x.apf.xml", 2, 6]]);
    const [directory] = inputsOf(dropped("d/a.conll", "d/e/b.conll"), FORMATS);
    assert.deepEqual(named([directory]), [["d", undefined, 2, 6]]);
    assert.deepEqual(Object.keys(directory.folder), ["a.conll", "e"]);
    const [key, other, same] = inputsOf(dropped("key.conll", "key.jsonlines", "z.conll"), FORMATS);
    const laid = laidOut(key, [other, directory, same, same]);
    assert.equal(laid.key, "key/key.conll");
    assert.deepEqual(laid.responses.map(({ path }) => path), ["key-2/key.jsonlines", "d", "z/z.conll", "z-2/z.conll"]);
    assert.deepEqual(Object.keys(joined([key, directory]).folder), ["key.conll", "d"]);
    assert.equal(joined([]), undefined);
  },

  "examples have entities that share no mention": () => {
    assert.ok(presets.PRESETS.length >= 19 && presets.FIRST >= 0);
    for (const { name, why, game } of presets.PRESETS) {
      assert.ok(name && why);
      for (const side of ["key", "response"]) assert.equal(new Set(game[side].flat()).size, game[side].flat().length, name);
    }
    // Links of the first MUC example: A-B B-C B-D against A-B C-D.
    assert.deepEqual(presets.PRESETS[0].game, { key: [["A", "B", "C", "D"]], response: [["A", "B"], ["C", "D"]] });
  },
};
