import { expect, it } from 'vitest'
import { csvOf, nameCell } from './csv.ts'

it('rows end with CRLF, and what holds a comma, a quote or a line break is quoted', () => {
  const rows = [
    ['a,b', 'say "hi"', 'two\nlines'],
    ['', null, undefined],
    [1.5, -2, true],
  ]
  expect(csvOf(['x', 'y', 'z'], rows)).toBe('x,y,z\r\n"a,b","say ""hi""","two\nlines"\r\n,,\r\n1.5,-2,true')
})

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\uff1d1'])('the text %j is no formula', (text) => {
  expect(csvOf([], [[text]]).replace(/^\r\n"?/, '')).toMatch(/^'/)
})

it('what a terminal would obey is escaped', () => {
  expect(csvOf([], [['a\u001b[2Jb']])).toBe('\r\na\\u001b[2Jb')
})

it('numbers and names are as they are', () => {
  expect(csvOf([], [[-1, nameCell('@ann'), nameCell(null)]])).toBe('\r\n-1,ann,')
})
