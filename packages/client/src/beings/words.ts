import { isJsonObject, type Json } from '@treeos/core'

/** A delegate answers with an object; its words are the text in it, if there is one. */
export const wordsIn = (content: Json): Json =>
  isJsonObject(content) && typeof content.text === 'string' ? content.text : content
