/** The ids of the things that words name as their files. */
export function filesIn(content: unknown): string[] {
  const { files } = (content ?? {}) as { readonly files?: unknown }
  return (Array.isArray(files) ? files : []).flatMap((address) => {
    const [, id] = /^matter:([a-z0-9-]+)$/.exec(String(address)) ?? []
    return id === undefined ? [] : [id]
  })
}
