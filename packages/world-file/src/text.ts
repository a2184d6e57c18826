import { asJson, type Json, TreeosError } from '@treeos/core'
import { isMap, isNode, LineCounter, parseDocument, stringify, visit } from 'yaml'
import { checkWorld, type WorldFile } from './shape.ts'

const HEAD = `# A world of TreeOS without its history. \`treeos world plant FILE\` makes it, as the person who plants: docs/world.md.
`

/** A world as YAML, or as JSON, which is YAML too. The same world gives the same bytes. */
export function writeWorld(world: WorldFile, form: 'yaml' | 'json'): string {
  const sorted = sortKeys(asJson(world))
  if (form === 'json') return `${JSON.stringify(sorted, null, 2)}\n`
  return (
    HEAD + stringify(sorted, { version: '1.2', schema: 'core', lineWidth: 0, aliasDuplicateObjects: false })
  )
}

/**
 * Names and what lies in values are sorted; the fields of a world and of each of its parts stand in the order
 * of the form.
 */
function sortKeys(value: Json, depth = 0): Json {
  if (Array.isArray(value)) return value.map((item) => sortKeys(item, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const keys = depth === 0 || depth === 2 ? Object.entries(value) : Object.entries(value).sort(byKey)
  return Object.fromEntries(keys.map(([key, item]) => [key, sortKeys(item as Json, depth + 1)]))
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) =>
  a < b ? -1 : a > b ? 1 : 0

/** What a reader found: a value, or the first fault and where it is. */
type ReadResult<T> =
  | { readonly value: T }
  | { readonly fault: { readonly path: readonly (string | number)[]; readonly message: string } }

/**
 * Reads a file of YAML 1.2, or of JSON, which is YAML too. Aliases and types of its own are refused.
 * @param file its name, for errors
 * @throws {TreeosError} INVALID_INPUT naming the file, the line, the path and the value
 */
export function readYaml<T>(text: string, file: string, check: (value: unknown) => ReadResult<T>): T {
  if (text.length > CHARS_MAX)
    throw wrongWorldText(`${file}: it has ${text.length} characters, at most ${CHARS_MAX} are read`)
  const lines = new LineCounter()
  const document = parseDocument(text, {
    ...{ version: '1.2', schema: 'core', prettyErrors: false, logLevel: 'silent' },
    lineCounter: lines,
  })
  const [broken] = [...document.errors, ...document.warnings]
  if (broken !== undefined)
    throw wrongWorldText(`${file}:${lines.linePos(broken.pos[0]).line}: ${broken.message}`)
  visit(document, {
    Alias: (_, { source, range }) => {
      throw wrongWorldText(
        `${file}:${lines.linePos(range?.[0] ?? 0).line}: *${source}: a file has no aliases; write the value`,
      )
    },
  })
  const read = check(document.toJS({ maxAliasCount: 0 }))
  if ('value' in read) return read.value
  const { path, message } = read.fault
  const node = path.length === 0 ? document.contents : document.getIn(path, true)
  const around = path.length === 0 ? null : document.getIn(path.slice(0, -1), true)
  const place = isNode(node) ? node.range : isMap(around) ? around.range : null
  const at = place == null ? file : `${file}:${lines.linePos(place[0]).line}`
  throw wrongWorldText([at, ...(path.length === 0 ? [] : [path.map(String).join('.')]), message].join(': '))
}

/** Reads a world. @throws {TreeosError} as `readYaml` */
export const readWorldText = (text: string, file: string): WorldFile => readYaml(text, file, checkWorld)

const CHARS_MAX = 16 * 1024 * 1024

const wrongWorldText = (message: string) => new TreeosError('INVALID_INPUT', message)
