import { expect, it } from 'vitest'
import { sentencesOfRole } from './spec-words.ts'

it('says what a role does with its wearer, and nothing that is so for every role', () => {
  const spec = {
    name: 'judge',
    triggerOn: ['message', 'schedule'],
    selfContinue: 'until-answered',
    steps: 40,
    requiredCognition: 'llm',
    layout: 'as-told',
    canSee: [],
    prompt: 'Rule.',
  }
  expect(sentencesOfRole(spec)).toEqual([
    'Its wearer is woken when somebody speaks to it or its schedule comes.',
    'Only a model can wear it.',
    'Its wearer goes on by itself until it has answered.',
    'For one question it takes at most 40 steps of its own.',
  ])
})

it('shows a field that it does not know', () => {
  expect(sentencesOfRole({ name: 'x', mood: { tone: 'low' } })).toEqual(['mood: {"tone":"low"}'])
})
