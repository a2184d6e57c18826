import { expect, it } from 'vitest'
import { adviceOnFailure } from './failures.ts'

it.each([
  ['model answered 401: check OPENAI_API_KEY', /refused the key/],
  ['model answered 403: check what OPENAI_API_KEY may use', /may not use this model/],
  ['model answered 404: check TREEOS_MODEL and OPENAI_BASE_URL', /no such model/],
  ['model answered 400: the prompt is longer than TREEOS_MODEL takes', /too long/],
  ["model's server cut the prompt: it read 2048 model tokens of it", /too long/],
  ['model answered 429: the account of OPENAI_API_KEY has no quota or credit left', /no credit/],
  [
    'model answered 500: TREEOS_MODEL or its server takes no tools (llama.cpp needs --jinja)',
    /takes no tools/,
  ],
  ['model answered 400: check that TREEOS_MODEL can call tools', /refused the request/],
])('after %j nobody is told to say it again', (message, advice) => {
  expect(adviceOnFailure('LLM_FAILED', message).one).toMatch(advice)
  expect(adviceOnFailure('LLM_FAILED', message).one).not.toMatch(/say it again/i)
})

it.each([
  ['LLM_FAILED', 'model answered 503', /Say it again/],
  ['LLM_FAILED', null, /Say it again/],
  ['FORBIDDEN', 'a list refused order 401', /role, or a rule/],
  ['constructor', null, /Open its moment/],
  [null, null, /Open its moment/],
])('%s with %j has advice of its own', (code, message, advice) => {
  expect(adviceOnFailure(code, message).one).toMatch(advice)
})
