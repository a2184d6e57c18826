import type { Condition, ConditionGroup, Operator, Sentence, SentenceTest } from './sentences.ts'
import { type Scalar, textOfValue } from './values.ts'

export const OPERATOR_LABELS: Readonly<Record<Operator, string>> = {
  eq: 'is',
  ne: 'is not',
  in: 'is one of',
  notIn: 'is not one of',
  gt: 'is over',
  gte: 'is at least',
  lt: 'is under',
  lte: 'is at most',
  present: 'is there',
}

/** What has to hold for a sentence, in words; an empty text for one that always holds. */
export const whenText = ({ tests, groups, rest }: Sentence): string =>
  conditionText({ tests: tests ?? [], groups, rest })

function conditionText({ tests, groups, rest }: Condition): string {
  const others = Object.keys(rest).map((key) => `${key} …`)
  return [...tests.map(testText), ...groups.map(groupText), ...others].join(' and ')
}

function testText({ field, operator, value }: SentenceTest): string {
  const name = field === '' ? '…' : field
  if (operator === 'present') return `${name} ${value === false ? 'is not there' : 'is there'}`
  const values = Array.isArray(value) ? value : [value]
  return `${name} ${OPERATOR_LABELS[operator]} ${values.map((one: Scalar) => textOfValue(one)).join(', ')}`
}

function groupText({ word, of }: ConditionGroup): string {
  const parts = of.map((one) => conditionText(one) || 'always')
  return word === 'not' ? `not (${parts.join(' ')})` : `(${parts.join(` ${word} `)})`
}
