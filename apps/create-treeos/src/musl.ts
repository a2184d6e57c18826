/** What Node tells of the C library that it runs with; a version of glibc where it is that. */
function readHeader(): unknown {
  const report = process.report as (typeof process.report & { excludeNetwork?: boolean }) | undefined
  // Node was built without reports: nothing tells
  if (report === undefined) return { glibcVersionRuntime: '' }
  report.excludeNetwork = true // it would resolve names of open connections
  return (report.getReport() as { readonly header?: unknown }).header
}

/**
 * Temporal and Postgres have executables for Linux with glibc alone. Where musl is, as on Alpine, they are
 * installed, almost a gigabyte of them, and do not start.
 * @returns why TreeOS does not run here; null where it does
 */
export function muslFault(
  platform: NodeJS.Platform = process.platform,
  header: unknown = null,
): string | null {
  if (platform !== 'linux') return null
  const { glibcVersionRuntime } = (header ?? readHeader() ?? {}) as { readonly glibcVersionRuntime?: unknown }
  return typeof glibcVersionRuntime === 'string'
    ? null
    : 'this Linux has musl and not glibc, as Alpine does: Temporal and Postgres have no executables for it. Take a system or image with glibc, such as node:24-slim'
}
