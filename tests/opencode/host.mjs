// The part of OpenCode that a plugin sees, driven step by step from a test.
//
// Arguments: the plugin, and the directory of the project. Each line on stdin is one call of a
// hook, {"hook", "input", "output"}; the answer is one line, {"threw", "output"}.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [plugin, directory] = process.argv.slice(2);
const { Leasehold } = await import(pathToFileURL(plugin));
const hooks = await Leasehold({ directory });

for await (const line of createInterface({ input: process.stdin })) {
  const { hook, input, output } = JSON.parse(line);
  let threw = null;
  try {
    await hooks[hook](input, output);
  } catch (error) {
    threw = error.message;
  }
  console.log(JSON.stringify({ threw, output }));
}
