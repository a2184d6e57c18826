type Manifest = { readonly apiVersion?: unknown; readonly kind?: unknown }
type Validate = ((data: unknown) => boolean) & {
  errors: { instancePath: string; keyword: string; params: object }[] | null
}

/**
 * What Kubernetes would refuse in a manifest: a kind it does not have, a missing or wrong field by its
 * schema, and a field that it does not know. The schemas are compiled and let unknown fields pass; such a
 * field is one that the validation never reads.
 */
export async function refusalsOf(manifest: Manifest): Promise<string[]> {
  const validate = await validatorOf(manifest)
  if (validate === null) return [`Kubernetes has no ${manifest.apiVersion} ${manifest.kind}`]
  const unread = new Map<string, boolean>()
  const wrong = validate(watched(manifest, '', unread))
    ? []
    : (validate.errors ?? []).map(
        ({ instancePath, keyword, params }) => `${instancePath}: ${keyword} ${JSON.stringify(params)}`,
      )
  // A wrong field ends the validation of what is below it.
  if (wrong.length > 0) return wrong
  return [...unread]
    .filter(([, isUnread]) => isUnread)
    .map(([path]) => `${path} is not a field of Kubernetes`)
}

async function validatorOf({ apiVersion, kind }: Manifest): Promise<Validate | null> {
  const [version = '', group = 'core'] = String(apiVersion).split('/').toReversed()
  const names = [group.split('.')[0] ?? '', version, String(kind)]
  const schema = names.map((name) => name.charAt(0).toUpperCase() + name.slice(1)).join('')
  const module = `kubernetes-models/_schemas/IoK8sApi${schema}`
  try {
    return ((await import(module)) as { validate: Validate }).validate
  } catch (error) {
    if (/Cannot find (module|package)|Failed to (load|resolve)/.test(String(error))) return null
    throw error
  }
}

/** The same value, noting which of its fields are read. */
function watched<T>(value: T, path: string, unread: Map<string, boolean>): T {
  if (typeof value !== 'object' || value === null) return value
  for (const key of Object.keys(value)) unread.set(`${path}/${key}`, true)
  const made = new Map<string, unknown>()
  return new Proxy(value, {
    get(target, key) {
      const field = Reflect.get(target, key) as unknown
      if (typeof key !== 'string' || !Object.hasOwn(target, key)) return field
      unread.set(`${path}/${key}`, false)
      if (!made.has(key)) made.set(key, watched(field, `${path}/${key}`, unread))
      return made.get(key)
    },
  })
}
