import { t } from '../language/index.ts'
import type { Condition, ConditionGroup, Operator, Sentence, SentenceTest } from './sentences.ts'
import { type Scalar, textOfValue } from './values.ts'

export const OPERATOR_LABELS: Readonly<Record<Operator, string>> = {
  eq: t('is'),
  ne: t('is not'),
  in: t('is one of'),
  notIn: t('is not one of'),
  gt: t('is over'),
  gte: t('is at least'),
  lt: t('is under'),
  lte: t('is at most'),
  present: t('is there'),
}

/** What has to hold for a sentence, in words; an empty text for one that always holds. */
export const whenText = ({ tests, groups, rest }: Sentence): string =>
  conditionText({ tests: tests ?? [], groups, rest })

function conditionText({ tests, groups, rest }: Condition): string {
  const others = Object.keys(rest).map((key) => `${key} …`)
  return [...tests.map(testText), ...groups.map(groupText), ...others].join(` ${t('and')} `)
}

function testText({ field, operator, value }: SentenceTest): string {
  const name = field === '' ? '…' : field
  if (operator === 'present') return `${name} ${value === false ? t('is not there') : t('is there')}`
  const values = Array.isArray(value) ? value : [value]
  return `${name} ${OPERATOR_LABELS[operator]} ${values.map((one: Scalar) => textOfValue(one)).join(', ')}`
}

function groupText({ word, of }: ConditionGroup): string {
  const parts = of.map((one) => conditionText(one) || t('always'))
  return word === 'not'
    ? t('not ({{parts}})', { parts: parts.join(' ') })
    : `(${parts.join(` ${word === 'or' ? t('or') : t('and')} `)})`
}
