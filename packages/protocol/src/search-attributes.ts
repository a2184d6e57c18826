import { defineSearchAttributeKey } from '@temporalio/common'

/** Declared here because Temporal's package does not export the inferred type, which declaration files need. */
type Keyword = ReturnType<typeof defineSearchAttributeKey<'KEYWORD'>>

/**
 * The server keeps search attributes as plain text, so they hold names only. Register them with the server before a being
 * starts.
 */
export const REALITY: Keyword = defineSearchAttributeKey('TreeosReality', 'KEYWORD')
export const BEING: Keyword = defineSearchAttributeKey('TreeosBeing', 'KEYWORD')
export const COGNITION: Keyword = defineSearchAttributeKey('TreeosCognition', 'KEYWORD')
/** primary role of the last moment */
export const ROLE: Keyword = defineSearchAttributeKey('TreeosRole', 'KEYWORD')

export const SEARCH_ATTRIBUTES: readonly Keyword[] = [REALITY, BEING, COGNITION, ROLE]
