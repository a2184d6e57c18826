import { parseSync } from 'vite'

/** A node of ESTree, as the parser of Vite gives it. */
interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string'

/** Calls `visit` with each node and its ancestors, the parent last. Skips the children where it returns false. */
function walk(
  value: unknown,
  visit: (node: SyntaxNode, around: readonly SyntaxNode[]) => boolean,
  around: readonly SyntaxNode[] = [],
): void {
  if (Array.isArray(value)) for (const one of value) walk(one, visit, around)
  if (!isNode(value) || !visit(value, around)) return
  for (const field of Object.values(value)) walk(field, visit, [...around, value])
}

const fieldOf = (node: SyntaxNode | undefined, field: string): SyntaxNode | undefined => {
  const value = node?.[field]
  return isNode(value) ? value : undefined
}
const nameOf = (node: SyntaxNode | undefined): string =>
  typeof node?.name === 'string' ? node.name : (node && nameOf(fieldOf(node, 'name'))) || ''

const programOf = (path: string, source: string): SyntaxNode =>
  parseSync(path, source, { lang: path.endsWith('x') ? 'tsx' : 'ts' }).program as unknown as SyntaxNode

const isCatalogueCall = (node: SyntaxNode): boolean =>
  node.type === 'CallExpression' && nameOf(fieldOf(node, 'callee')) === 't'
const isTrans = (node: SyntaxNode | undefined): boolean =>
  node?.type === 'JSXOpeningElement' && nameOf(fieldOf(node, 'name')) === 'Trans'

/** The strings that an expression may be; null among them where it is none that is written there. */
function stringsOf(node: SyntaxNode | undefined): (string | null)[] {
  if (node?.type === 'Literal' && typeof node.value === 'string') return [node.value]
  if (node?.type === 'JSXExpressionContainer') return stringsOf(fieldOf(node, 'expression'))
  if (node?.type === 'ConditionalExpression')
    return [...stringsOf(fieldOf(node, 'consequent')), ...stringsOf(fieldOf(node, 'alternate'))]
  return [null]
}

const listOf = (node: SyntaxNode, field: string): readonly SyntaxNode[] =>
  (node[field] as readonly SyntaxNode[] | undefined) ?? []

function contextOf(call: SyntaxNode): string {
  const values = listOf(call, 'arguments')[1]
  const context = (values === undefined ? [] : listOf(values, 'properties')).find(
    (one) => nameOf(fieldOf(one, 'key')) === 'context',
  )
  const [word] = stringsOf(fieldOf(context, 'value'))
  return word === null || word === undefined ? '' : `_${word}`
}

/** The keys that a file asks the catalogue for; null for one that is not written there as a string. */
export function keysIn(path: string, source: string): (string | null)[] {
  const keys: (string | null)[] = []
  walk(programOf(path, source), (node) => {
    if (isCatalogueCall(node)) {
      const context = contextOf(node)
      keys.push(
        ...stringsOf(listOf(node, 'arguments')[0]).map((key) => (key === null ? null : `${key}${context}`)),
      )
    }
    if (isTrans(node)) {
      const text = listOf(node, 'attributes').find((one) => nameOf(one) === 'text')
      keys.push(...stringsOf(fieldOf(text, 'value')))
    }
    return true
  })
  return keys
}

/** Attributes and fields that people read, also where they are one word. */
const READ =
  /^(label|title|description|placeholder|alt|message|words|note|text|hint|submit|asks|aria-label)$/i
/** Attributes for the machine. */
const UNREAD =
  /^(className|classNames|style|flex|d|to|href|id|key|type|role|variant|color|lang|autoComplete|transform|align|justify|points|viewBox|gridTemplateColumns|data-\w+|aria-(live|labelledby|describedby|controls|orientation|busy|current))$/
/** Functions whose texts go to no person. */
const UNREAD_CALLS =
  /(querySelector|matchMedia|matches|closest|getInputProps|split|includes|startsWith|useHotkeys|Symbol|^page)$/

/** Units and entities of HTML are no words. */
const NO_WORDS = /&\w+;|\b(ms|s|min|h|em|rem|px)\b/g
const hasLetters = (text: string): boolean => /\p{L}/u.test(text.replaceAll(NO_WORDS, ''))
/** A word beside another or beside what is filled in, or one that begins as a sentence does. */
function readsAsText(text: string): boolean {
  const words = text.replaceAll(NO_WORDS, '')
  return (
    /\p{L}{2}\S* +(\S*\p{L}|\{\})|(\p{L}|\{\}) +\p{L}{2}/u.test(words) ||
    /^\p{Lu}\p{Ll}+[.…?!]?$/u.test(words)
  )
}

const lineOf = ({ start }: SyntaxNode, source: string): number => source.slice(0, start).split('\n').length

/** The text of a string; `{}` stands for what a template fills in. Null for any other node. */
function textOf(node: SyntaxNode): string | null {
  if (node.type === 'JSXText') return String(node.value)
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null
  if (node.type !== 'TemplateLiteral') return null
  return listOf(node, 'quasis')
    .map(({ value }) => (value as { readonly cooked: string }).cooked)
    .join('{}')
}

/** What a string is given to: the nearest attribute of JSX, or field of an object. */
function nearestName(around: readonly SyntaxNode[]): string {
  for (const node of around.toReversed()) {
    if (node.type === 'JSXAttribute') return nameOf(node)
    if (node.type === 'Property')
      return String(fieldOf(node, 'key')?.name ?? fieldOf(node, 'key')?.value ?? '')
    if (node.type === 'JSXElement' || /Function|Call|Member/.test(node.type)) return ''
  }
  return ''
}

/** Types, names of modules, keys and what is compared are no texts. */
function isForMachine(node: SyntaxNode, around: readonly SyntaxNode[], source: string): boolean {
  const parent = around.at(-1)
  if (parent === undefined) return true
  if (
    ['SwitchCase', 'MemberExpression', 'ImportExpression', 'TaggedTemplateExpression'].includes(parent.type)
  )
    return true
  if (parent.type === 'BinaryExpression' && /=|in/.test(String(parent.operator))) return true
  if (parent.type === 'Property' && parent.key === node) return true
  if (parent.type !== 'CallExpression' && parent.type !== 'NewExpression') return false
  const callee = fieldOf(parent, 'callee')
  return UNREAD_CALLS.test(source.slice(callee?.start, callee?.end))
}

const isDeclaration = ({ type }: SyntaxNode): boolean =>
  /^(Import|ExportAll)Declaration|^TS/.test(type) && !/^TS(As|Satisfies|NonNull)/.test(type)

/** It is what the catalogue is asked for. */
function isCatalogued(node: SyntaxNode, around: readonly SyntaxNode[]): boolean {
  const path = [...around, node]
  return around.some((one, i) => {
    if (isCatalogueCall(one)) return listOf(one, 'arguments')[0] === path[i + 1]
    return one.type === 'JSXAttribute' && nameOf(one) === 'text' && isTrans(path[i - 1])
  })
}

/** It stands between tags, perhaps as one of two. */
function isDrawn(around: readonly SyntaxNode[]): boolean {
  const holder = around.findLastIndex(
    ({ type }) => !/^(Conditional|Logical)Expression$|^TemplateLiteral$/.test(type),
  )
  return (
    around[holder]?.type === 'JSXExpressionContainer' &&
    /^JSX(Element|Fragment)$/.test(around[holder - 1]?.type ?? '')
  )
}

/** Texts of a file that go past the catalogue, with their lines: `12: Sign in`. */
export function looseTexts(path: string, source: string): string[] {
  const found: string[] = []
  walk(programOf(path, source), (node, around) => {
    const text = textOf(node)
    if (text === null) return !isDeclaration(node)
    if (!hasLetters(text) || isCatalogued(node, around) || isForMachine(node, around, source)) return true
    const name = nearestName(around)
    if (UNREAD.test(name)) return true
    if (node.type === 'JSXText' || READ.test(name) || isDrawn(around) || readsAsText(text))
      found.push(`${lineOf(node, source)}: ${text.trim().replaceAll(/\s+/g, ' ')}`)
    return true
  })
  return found
}
