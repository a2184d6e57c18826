// Ends with 0 while a program of this image works: `node /app/healthy.mjs [URL]`. Without a URL it asks the
// worker beside it, which answers once it takes work.
const { TREEOS_METRICS_PORT: port } = process.env
const url = process.argv[2] ?? `http://127.0.0.1:${port}/ready`
const ok = await fetch(url, { signal: AbortSignal.timeout(4000) }).then(
  (answer) => answer.ok,
  () => false,
)
process.exitCode = ok ? 0 : 1
