import { type RemedyTexts, type TreeosError, withRemedy } from '@treeos/core'

/** For a model or a program that has the tools and the resources of this server, and nothing else. */
const WORDS: RemedyTexts = {
  'list-inbox': 'treeos://inbox lists them',
  'list-threads': null,
  'list-overlays': 'the tool list_overlays lists them',
  'list-tokens': null,
  'list-roles': null,
  'list-approvals': 'the tool list_approvals lists it',
  'make-token': 'a person makes one for you',
  'start-worker': 'whoever runs this reality has to start one',
  'give-overlay': null,
  'find-receipt': null,
  'look-at-moments': null,
  'explain-moment': null,
  'answer-as': null,
  resume: ({ of }) => `whoever may pause ${of} may resume it`,
  'answer-entry': 'answer it by summon',
  'decide-entry': 'its person answers it on the page',
  'decide-call': ({ id }) => `its person answers ${id} on the page`,
  unpark: null,
}

/** The same refusal, with its remedy in the tools and resources of this server. */
export const toldByMcp = (refusal: TreeosError): TreeosError => withRemedy(refusal, WORDS)
