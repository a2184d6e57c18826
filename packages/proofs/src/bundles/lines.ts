import { createHash } from 'node:crypto'
import { canonicalJson, type JsonObject } from '@treeos/core'

/**
 * Writes the lines of a bundle. Each is canonical JSON that says its number, and ends with a sum over itself
 * and the line before it: a line that is changed, moved, doubled or dropped is found where it is.
 */
export class LineWriter {
  #line = 0
  #sum = ''

  get count(): number {
    return this.#line
  }

  /** @param value its fields come before `sum` in the alphabet */
  write(value: JsonObject): string {
    this.#line += 1
    const body = canonicalJson({ ...value, line: this.#line })
    this.#sum = createHash('sha256').update(`treeos.line.v1\0${this.#sum}\0${body}`).digest('hex')
    return `${body.slice(0, -1)},"sum":"${this.#sum}"}\n`
  }
}
