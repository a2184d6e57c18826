import { type Json, type JsonObject, quote, TreeosError } from '@treeos/core'
import type { ArgumentForm, ArgumentForms } from './argument-forms.ts'
import { fitsSchema } from './argument-schema.ts'

/**
 * The arguments of one call, which are what their forms take. Each error names the argument, its value and
 * what would be right.
 */
export class Arguments {
  readonly #operation: string
  readonly #args: JsonObject
  readonly #forms: ArgumentForms

  /** @throws {TreeosError} INVALID_INPUT, or what a form throws that parses its value */
  constructor(operation: string, args: JsonObject, forms: ArgumentForms) {
    this.#operation = operation
    this.#args = args
    this.#forms = forms
    this.requireAmong(Object.keys(forms))
    for (const [name, form] of Object.entries(forms)) this.#require(name, form)
  }

  #require(name: string, { isNeeded, right, schema, parse, isRight }: ArgumentForm): void {
    const value = this.value(name)
    if (value === undefined && !isNeeded) return
    if (value === undefined) throw this.fault(name, value, right)
    parse?.(value)
    if (!fitsSchema(schema, value) || isRight?.(value) === false) throw this.fault(name, value, right)
  }

  /** @throws {TreeosError} INVALID_INPUT for an argument with another name */
  requireAmong(names: readonly string[]): void {
    const unknown = Object.keys(this.#args).find((name) => !names.includes(name))
    if (unknown === undefined) return
    const taken = names.length === 0 ? 'none' : names.join(', ')
    throw new TreeosError(
      'INVALID_INPUT',
      `${this.#operation} takes no argument ${quote(unknown)}; it takes ${taken}`,
    )
  }

  /** @returns undefined for one that is left out */
  value(name: string): Json | undefined {
    const value = Object.hasOwn(this.#args, name) ? this.#args[name] : undefined
    const form = this.#forms[name]
    if (value !== null || form === undefined) return value
    return form.isNeeded || fitsSchema(form.schema, null) ? null : undefined
  }

  text(name: string): string {
    const value = this.value(name)
    if (typeof value === 'string' && value !== '') return value
    throw this.fault(name, value, 'a text')
  }

  optionalText(name: string): string | null {
    return this.value(name) === undefined ? null : this.text(name)
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.value(name) ?? fallback
    if (typeof value === 'boolean') return value
    throw this.fault(name, value, 'true or false')
  }

  oneOf<T extends string>(name: string, choices: readonly T[]): T {
    const value = this.value(name)
    const found = choices.find((choice) => choice === value)
    if (found !== undefined) return found
    throw this.fault(name, value, `one of ${choices.join(', ')}`)
  }

  fault(name: string, value: Json | undefined, right: string): TreeosError {
    const came = value === undefined ? 'is missing' : `is ${quote(value)}`
    return new TreeosError('INVALID_INPUT', `${this.#operation}: ${name} ${came}; it takes ${right}`)
  }
}
