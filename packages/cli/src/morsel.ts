#!/usr/bin/env node
/* Checks the version of Node first, because an older Node cannot load the other files. */

const nodeMin = 24;

if (Number(process.versions.node.split('.', 1)[0]) < nodeMin) {
  const advice = import.meta.url.endsWith('.ts')
    ? '"npm run -s morsel -- serve" uses the Node that npm ci installed'
    : 'install it from https://nodejs.org, or with a package of your system';
  process.stderr.write(
    `morsel: this is Node ${process.versions.node}, but morsel needs Node ${nodeMin} or newer: ${advice}\n`,
  );
  process.exitCode = 2;
} else {
  const { useCompileCache } = await import('@morsel/gateway/runtime/compile-cache.ts');
  useCompileCache();
  if (process.argv[2] === 'serve' || process.argv[2] === 'demo') {
    const { environment, readConfig } = await import('@morsel/gateway/config.ts');
    const { limitHeap } = await import('@morsel/gateway/runtime/heap.ts');
    const config = readConfig(environment());
    // The command itself reports a wrong setting.
    if (config.ok) limitHeap(config.value.memoryMib, environment());
  }
  const { main } = await import('./main.ts');
  await main();
}
