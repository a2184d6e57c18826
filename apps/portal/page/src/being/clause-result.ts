import type { MomentView } from './moment-words.ts'

export type ClauseResult = NonNullable<MomentView['explained']>['clauses'][number]['result']

/** The moment wore the role of the clause. */
export const isWorn = (result: ClauseResult): boolean => result === 'primary' || result === 'stacked'
