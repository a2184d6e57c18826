/** The notation in which docs/formats.md says what form a value has. */
import { isArray, isObject, type Json } from '../canonical.ts'
import { isHash } from '../hash.ts'

type FormTest = (value: Json | undefined) => boolean

const PLAIN: Readonly<Record<string, FormTest>> = {
  any: (value) => value !== undefined,
  text: (value) => typeof value === 'string',
  whole: (value) => Number.isSafeInteger(value),
  number: (value) => typeof value === 'number',
  flag: (value) => typeof value === 'boolean',
  hash: isHash,
  object: isObject,
  null: (value) => value === null,
  true: (value) => value === true,
  false: (value) => value === false,
  1: (value) => value === 1,
}
const TOKEN = /'[^']*'|[a-zA-Z0-9]+|[?:,|*(){}[\]<>]/g

/** Reads one form. A word that is not plain names another form of the same table. */
class FormReader {
  readonly #tokens: readonly string[]
  readonly #named: (name: string) => FormTest
  #next = 0

  constructor(text: string, named: (name: string) => FormTest) {
    this.#tokens = text.match(TOKEN) ?? []
    this.#named = named
  }

  #take(): string {
    const token = this.#tokens[this.#next++]
    if (token === undefined) throw new Error(`the form ${this.#tokens.join('')} ends too early`)
    return token
  }

  #takes(token: string): boolean {
    if (this.#tokens[this.#next] !== token) return false
    this.#next += 1
    return true
  }

  read(): FormTest {
    const choices = [this.#one()]
    while (this.#takes('|')) choices.push(this.#one())
    return choices.length === 1 ? (choices[0] as FormTest) : (value) => choices.some((fits) => fits(value))
  }

  #one(): FormTest {
    const token = this.#take()
    if (token === '{') return this.#fields()
    if (token === '(') return this.#tuple()
    if (token === '[' || token === '<') {
      const item = this.read()
      this.#take() // the closing one
      return token === '['
        ? (value) => isArray(value) && value.every(item)
        : (value) => isObject(value) && Object.values(value).every(item)
    }
    if (token.startsWith("'")) return (value) => value === token.slice(1, -1)
    return PLAIN[token] ?? ((value) => this.#named(token)(value))
  }

  #tuple(): FormTest {
    const items: FormTest[] = []
    while (!this.#takes(')')) {
      items.push(this.read())
      this.#takes(',')
    }
    return (value) =>
      isArray(value) && value.length === items.length && items.every((item, i) => item(value[i]))
  }

  #fields(): FormTest {
    const fields = new Map<string, { readonly fits: FormTest; readonly isNeeded: boolean }>()
    let isOpen = false
    while (!this.#takes('}')) {
      const name = this.#take()
      if (name === '*') isOpen = true
      else {
        const isNeeded = !this.#takes('?')
        this.#take() // the colon
        fields.set(name, { isNeeded, fits: this.read() })
      }
      this.#takes(',')
    }
    return (value) => {
      if (!isObject(value) || (!isOpen && Object.keys(value).some((name) => !fields.has(name)))) return false
      return [...fields].every(([name, { fits, isNeeded }]) =>
        Object.hasOwn(value, name) ? fits(value[name]) : !isNeeded,
      )
    }
  }
}

/** Reads a table of forms: on each line a name, a space and a form, which lines that begin with two spaces go on. */
export function readForms(table: string): ReadonlyMap<string, FormTest> {
  const forms = new Map<string, FormTest>()
  const named = (name: string): FormTest => {
    const form = forms.get(name)
    if (form === undefined) throw new Error(`no form has the name ${name}`)
    return form
  }
  for (const line of table.trim().replaceAll('\n  ', '').split('\n')) {
    const [name = '', text = ''] = line.split(' ')
    forms.set(name, new FormReader(text, named).read())
  }
  return forms
}
