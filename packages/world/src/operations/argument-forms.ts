import type { Json } from '@treeos/core'
import { type ArgumentSchema, schemaText } from './argument-schema.ts'

/** What one argument of a built-in operation takes. Forms, prompts and errors follow from it. */
export interface ArgumentForm {
  /** what it is, for forms and prompts */
  readonly about: string
  readonly schema: ArgumentSchema
  /** what would be right, in errors */
  readonly right: string
  /** null counts as left out where it is not needed, unless its schema takes null */
  readonly isNeeded: boolean
  /**
   * Asked before the schema, for errors that say more.
   * @throws {TreeosError} naming the fault of the value
   */
  parse?(value: Json): unknown
  /** says what the schema cannot; asked after it */
  isRight?(value: Json): boolean
}

/** The arguments of an operation, by name. */
export type ArgumentForms = Readonly<Record<string, ArgumentForm>>
type FormExtras = Partial<Pick<ArgumentForm, 'right' | 'parse' | 'isRight'>>

export const needed = (schema: ArgumentSchema, about: string, more: FormExtras = {}): ArgumentForm => ({
  ...{ about, schema, right: schemaText(schema), isNeeded: true },
  ...more,
})

export const optional = (schema: ArgumentSchema, about: string, more: FormExtras = {}): ArgumentForm => ({
  ...needed(schema, about, more),
  isNeeded: false,
})

/** The same arguments, of which none is needed. */
export const leftOut = <Forms extends ArgumentForms>(forms: Forms): Forms =>
  Object.fromEntries(
    Object.entries(forms).map(([name, form]) => [name, { ...form, isNeeded: false }]),
  ) as Forms

export const TEXT: ArgumentSchema = { type: 'string', minLength: 1 }
export const FLAG: ArgumentSchema = { type: 'boolean' }
export const ANY_JSON: ArgumentSchema = {}
export const OBJECT: ArgumentSchema = { type: 'object', additionalProperties: true }
/** The clauses of a role flow. */
export const FLOW: ArgumentSchema = { type: 'array', items: OBJECT }
export const FLOW_RIGHT = 'an array of clauses'
export const oneOf = (choices: readonly string[]): ArgumentSchema => ({ type: 'string', enum: choices })

/** Parses a text; any other value is left to the schema. */
export const ofText =
  (parse: (text: string) => unknown) =>
  (value: Json): unknown =>
    typeof value === 'string' && value !== '' ? parse(value) : null
