import { type Json, type JsonObject, quote, TreeosError } from '@treeos/core'

/** Reads the arguments of one operation. Each error names the argument, its value and what would be right. */
export class Arguments {
  readonly #operation: string
  readonly #args: JsonObject

  constructor(operation: string, args: JsonObject, known: readonly string[]) {
    this.#operation = operation
    this.#args = args
    const unknown = Object.keys(args).find((name) => !known.includes(name))
    if (unknown !== undefined) {
      throw new TreeosError(
        'INVALID_INPUT',
        `${operation} takes no argument ${quote(unknown)}; it takes ${known.join(', ')}`,
      )
    }
  }

  value(name: string): Json | undefined {
    return Object.hasOwn(this.#args, name) ? this.#args[name] : undefined
  }

  text(name: string): string {
    const value = this.value(name)
    if (typeof value === 'string' && value !== '') return value
    throw this.fault(name, value, 'a text')
  }

  optionalText(name: string): string | null {
    const value = this.value(name)
    return value === undefined || value === null ? null : this.text(name)
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.value(name)
    if (value === undefined) return fallback
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
