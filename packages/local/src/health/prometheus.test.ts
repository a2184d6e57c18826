import { describe, expect, it } from 'vitest'
import { readSamples } from './prometheus.ts'

describe('the text of a scrape', () => {
  it.each([
    { line: 'up 1', sample: { name: 'up', labels: {}, value: 1 } },
    { line: 'up{} 1', sample: { name: 'up', labels: {}, value: 1 } },
    { line: 'a:b{x="1",y="2",} 1.5e3', sample: { name: 'a:b', labels: { x: '1', y: '2' }, value: 1500 } },
    { line: 'at{x="1"} 2 1700000000000', sample: { name: 'at', labels: { x: '1' }, value: 2 } },
    { line: 'le{le="+Inf"} +Inf', sample: { name: 'le', labels: { le: '+Inf' }, value: Infinity } },
    { line: 'no NaN', sample: { name: 'no', labels: {}, value: NaN } },
    {
      line: String.raw`odd{x="a \"b\" \\ \n } 5",y=","} 7`,
      sample: { name: 'odd', labels: { x: 'a "b" \\ \n } 5', y: ',' }, value: 7 },
    },
  ])('$line', ({ line, sample }) => {
    expect(readSamples(line)).toEqual([sample])
  })

  it.each([
    '',
    '# HELP up Whether it runs.',
    '# TYPE up gauge',
    '<html>no metrics here</html>',
    'up',
    '{} 1',
  ])('has no value in %j', (line) => {
    expect(readSamples(line)).toEqual([])
  })
})
