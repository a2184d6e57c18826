import { defineSearchAttributeKey } from '@temporalio/common'

/** Plain text for ever, so names only. They must be registered with the server before a being starts. */
export const REALITY = defineSearchAttributeKey('TreeosReality', 'KEYWORD')
export const BEING = defineSearchAttributeKey('TreeosBeing', 'KEYWORD')
export const COGNITION = defineSearchAttributeKey('TreeosCognition', 'KEYWORD')
/** the primary role of the last moment */
export const ROLE = defineSearchAttributeKey('TreeosRole', 'KEYWORD')

export const SEARCH_ATTRIBUTES = [REALITY, BEING, COGNITION, ROLE]
