import { defineSearchAttributeKey } from '@temporalio/common'

/** Written out, since the built types could not name what Temporal infers: its package exports no door to it. */
type Keyword = ReturnType<typeof defineSearchAttributeKey<'KEYWORD'>>

/** Plain text for ever, so names only. They must be registered with the server before a being starts. */
export const REALITY: Keyword = defineSearchAttributeKey('TreeosReality', 'KEYWORD')
export const BEING: Keyword = defineSearchAttributeKey('TreeosBeing', 'KEYWORD')
export const COGNITION: Keyword = defineSearchAttributeKey('TreeosCognition', 'KEYWORD')
/** the primary role of the last moment */
export const ROLE: Keyword = defineSearchAttributeKey('TreeosRole', 'KEYWORD')

export const SEARCH_ATTRIBUTES: readonly Keyword[] = [REALITY, BEING, COGNITION, ROLE]
