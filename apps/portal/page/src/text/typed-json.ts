import { readTypedJson, readTypedValue } from '@treeos/core/typed-json'
import json5 from 'json5'

/** JSON that a person typed, in the notation of the sources too. @throws {TypedJsonError} */
export const typedJson = (text: string): unknown => readTypedJson(text, () => json5)

/** A value that a person typed: JSON, or a bare word. @throws {TypedJsonError} */
export const typedValue = (text: string): unknown => readTypedValue(text, () => json5)
