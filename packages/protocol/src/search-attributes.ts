import type { defineSearchAttributeKey } from '@temporalio/common'

/**
 * Declared here because Temporal's package does not export the inferred type, which declaration files need.
 */
type Keyword = ReturnType<typeof defineSearchAttributeKey<'KEYWORD'>>

/**
 * As `defineSearchAttributeKey` of Temporal's package, which commands that need no Temporal would load for
 * it: a tenth of their time.
 */
const keyword = (name: string): Keyword => ({ name, type: 'KEYWORD' })

/**
 * The server keeps search attributes as plain text, so they hold names only. Register them with the server
 * before a being starts.
 */
export const REALITY: Keyword = keyword('TreeosReality')
export const BEING: Keyword = keyword('TreeosBeing')
export const COGNITION: Keyword = keyword('TreeosCognition')
/** primary role of the last moment */
export const ROLE: Keyword = keyword('TreeosRole')

export const SEARCH_ATTRIBUTES: readonly Keyword[] = [REALITY, BEING, COGNITION, ROLE]
