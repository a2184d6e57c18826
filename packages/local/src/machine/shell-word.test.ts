import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { shellWord } from './shell-word.ts'

it.each(['plain', '/a/b.c', "it's", 'a b', '$HOME', '`id`', '"', '\\', '', '*', 'a\nb', '~', 'ü'])(
  'a shell reads %j as it was',
  (text) => {
    const said = execFileSync('/bin/sh', ['-c', `A=${shellWord(text)}; printf %s "$A"`], { encoding: 'utf8' })
    expect(said).toBe(text)
  },
)
