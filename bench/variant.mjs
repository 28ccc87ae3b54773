// One variant of a question, in a process of its own: prepares itself, then does a round whenever it is asked to.
//   node bench/variant.mjs <url of the question> <name of the variant>
const [url, name] = process.argv.slice(2);

const answer = async (work) => {
  try {
    process.send({ figure: await work() });
  } catch (error) {
    process.send({ failure: error.stack });
  }
};

let round;

process.on('message', () => answer(round));
// An engine that leaves by `exit` takes what is left of its hooks along.
process.on('disconnect', () => process.exit());
await answer(async () => {
  const { variants } = await import(url);
  round = await variants[name]();
});
