import { type RemedyTexts, type TreeosError, withRemedy } from '@treeos/core'

/**
 * For programs over HTTP and for people in a browser: neither has a command line, and the page shows the same
 * words.
 */
const WORDS: RemedyTexts = {
  'list-inbox': 'the inbox lists them',
  'list-threads': 'the list of threads has those that are not over',
  'list-overlays': 'the list of overlays has them',
  'list-tokens': 'the list of access tokens has them',
  'list-roles': 'the list of roles has what is',
  'list-approvals': 'it is in the list of approvals',
  'make-token': 'a person makes one in the portal, among its access tokens',
  'start-worker': 'whoever runs this reality has to start one',
  'give-overlay': null,
  'find-receipt': null,
  'look-at-moments': ({ of }) => `the moments of ${of} show it`,
  'explain-moment': ({ of, n }) => `moment ${n} of ${of} says why`,
  'answer-as': null,
  resume: ({ of }) => `whoever may pause ${of} may resume it`,
  'answer-entry': 'answer it, or dismiss it without an answer',
  'decide-entry': 'approve or deny it, or dismiss it',
  'decide-call': ({ id }) => `whoever is asked finds ${id} in the list of approvals`,
  unpark: ({ of }) => `let ${of} try again, or dismiss the notice`,
}

/** The same refusal, with its remedy in words for programs and browsers. */
export const toldByApi = (refusal: TreeosError): TreeosError => withRemedy(refusal, WORDS)
