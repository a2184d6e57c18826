import type { Json } from '@treeos/core'
import type { WrittenCall } from './arguments.ts'

const NAME = /[A-Za-z_][\w.:-]*/y
const WORD = /[A-Za-z_]\w*/y
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORDS: Readonly<Record<string, Json>> = {
  True: true,
  true: true,
  False: false,
  false: false,
  None: null,
  null: null,
}
const DEPTH_MAX = 32
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

class NotPythonicError extends Error {
  override readonly name = 'NotPythonicError'
}

/**
 * Reads calls in the form of Python, as Llama, Gemini and others write them: `[see(address="/a"), …]`,
 * `see(address="/a")`, `print(default_api.see(address="/a"))`, `call:see{address:"/a"}` or
 * `see{"address": "/a"}`. Arguments have names. Nothing is run.
 * @returns null for any other text
 */
export function readPythonic(text: string): WrittenCall[] | null {
  if (!/^\s*(?:\[\s*)?[A-Za-z_][\w.:-]*\s*[({]/.test(text)) return null
  try {
    return new PythonicReader(text).calls()
  } catch (error) {
    if (error instanceof NotPythonicError) return null
    throw error
  }
}

class PythonicReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  calls(): WrittenCall[] {
    const isList = this.#skip('[')
    const calls = [this.#call()]
    while (this.#skip(isList ? ',' : ';')) calls.push(this.#call())
    if (isList) this.#need(']')
    this.#blank()
    if (this.#at < this.#text.length) throw new NotPythonicError()
    return calls
  }

  #call(): WrittenCall {
    const name = this.#match(NAME)
    if (this.#skip('{')) return { name, args: this.#dict(0) }
    this.#need('(')
    if (name === 'print') {
      const call = this.#call()
      this.#need(')')
      return call
    }
    const args: [string, Json][] = []
    while (!this.#skip(')')) {
      if (args.length > 0) this.#need(',')
      if (this.#skip(')')) break
      const key = this.#match(WORD)
      this.#need('=')
      args.push([key, this.#value(0)])
    }
    return { name, args: Object.fromEntries(args) }
  }

  #value(depth: number): Json {
    if (depth > DEPTH_MAX) throw new NotPythonicError()
    this.#blank()
    const next = this.#text[this.#at]
    if (next === '"' || next === "'") return this.#string(next)
    if (this.#skip('[')) return this.#list(depth)
    if (this.#skip('{')) return this.#dict(depth)
    if (next !== undefined && /[-\d]/.test(next)) return Number(this.#match(NUMBER))
    const word = WORDS[this.#match(WORD)]
    if (word === undefined) throw new NotPythonicError()
    return word
  }

  #list(depth: number): Json[] {
    const items: Json[] = []
    while (!this.#skip(']')) {
      if (items.length > 0) this.#need(',')
      if (this.#skip(']')) break
      items.push(this.#value(depth + 1))
    }
    return items
  }

  #dict(depth: number): Json {
    const entries: [string, Json][] = []
    while (!this.#skip('}')) {
      if (entries.length > 0) this.#need(',')
      if (this.#skip('}')) break
      const key = this.#key()
      this.#need(':')
      entries.push([key, this.#value(depth + 1)])
    }
    return Object.fromEntries(entries)
  }

  #key(): string {
    this.#blank()
    const next = this.#text[this.#at]
    return next === '"' || next === "'" ? this.#string(next) : this.#match(WORD)
  }

  #string(quote: string): string {
    const mark = this.#text.startsWith(quote.repeat(3), this.#at) ? quote.repeat(3) : quote
    this.#at += mark.length
    let out = ''
    while (!this.#text.startsWith(mark, this.#at)) {
      const char = this.#text[this.#at]
      if (char === undefined) throw new NotPythonicError()
      if (char === '\\') {
        out += this.#escaped()
      } else {
        out += char
        this.#at += 1
      }
    }
    this.#at += mark.length
    return out
  }

  #escaped(): string {
    const code = /^\\u([0-9a-fA-F]{4})/.exec(this.#text.slice(this.#at, this.#at + 6))?.[1]
    const char = this.#text[this.#at + 1] ?? ''
    this.#at += code === undefined ? 2 : 6
    return code === undefined ? (ESCAPES[char] ?? char) : String.fromCharCode(Number.parseInt(code, 16))
  }

  #blank(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1
  }

  #skip(char: string): boolean {
    this.#blank()
    if (this.#text[this.#at] !== char) return false
    this.#at += 1
    return true
  }

  #need(char: string): void {
    if (!this.#skip(char)) throw new NotPythonicError()
  }

  #match(pattern: RegExp): string {
    this.#blank()
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found === undefined) throw new NotPythonicError()
    this.#at += found.length
    return found
  }
}
