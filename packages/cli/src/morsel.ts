/* Where the program starts. It imports nothing before it knows that the version of Node can run the rest. */

const nodeMin = 24;

if (Number(process.versions.node.split('.', 1)[0]) < nodeMin) {
  process.stderr.write(
    `morsel: this is Node ${process.versions.node} and morsel needs ${nodeMin} or newer: "npm run -s morsel -- serve" uses the one that npm ci brings\n`,
  );
  process.exitCode = 2;
} else {
  const { useCompileCache } = await import('@morsel/gateway/runtime/compile-cache.ts');
  useCompileCache();
  const { main } = await import('./main.ts');
  await main();
}
