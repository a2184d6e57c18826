/**
 * Whether a URL leads to a pooler that gives each transaction any of its connections to Postgres, such as
 * PgBouncer with `pool_mode = transaction`. It says so itself: `postgres://…/treeos?pooler=transaction`. What
 * belongs to one connection then belongs to nobody, so none is used: no settings at its start, no role, no
 * names of statements, no LISTEN.
 * @throws {Error} for another value
 */
export function isPooled(url: string): boolean {
  const value = URL.parse(url)?.searchParams.get('pooler') ?? null
  if (value === null || value === 'session') return false
  if (value === 'transaction') return true
  throw new Error(`the database URL says pooler=${value}; it takes transaction or session`)
}
