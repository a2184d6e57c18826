import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Track } from './track.ts'

const LINK_MS = 300

/** Where in the record one is, which the address of the page follows, and how fast one goes on from there. */
export function usePosition(track: Track, upTo: number) {
  const search = useSearch({ from: '/signed-in/replay' })
  const navigate = useNavigate({ from: '/replay' })
  /** null: the end, wherever that is */
  const [chosen, choose] = useState<number | null>(search.at ?? null)
  /** steps a second; null: it stands still */
  const [speed, setSpeed] = useState<string | null>(null)
  const position = Math.min(chosen ?? upTo, upTo)
  useEffect(() => {
    if (speed === null) return
    const timer = setInterval(() => {
      choose((current) => {
        const next = track.next(current ?? track.upTo)
        if (next === null) setSpeed(null)
        return next ?? current
      })
    }, 1000 / Number(speed))
    return () => clearInterval(timer)
  }, [speed, track])
  useEffect(() => {
    const at = chosen === null ? {} : { at: chosen }
    const timer = setTimeout(() => {
      void navigate({
        search: ({ in: path }) => ({ ...at, ...(path === undefined ? {} : { in: path }) }),
        replace: true,
      })
    }, LINK_MS)
    return () => clearTimeout(timer)
  }, [chosen, navigate])
  const goTo = (to: number | null) => {
    setSpeed(null)
    if (to !== null) choose(to >= upTo ? null : to)
  }
  const play = () => {
    if (track.next(position) === null) choose(0)
    setSpeed('4')
  }
  return { position, isAtEnd: chosen === null, speed, setSpeed, goTo, play }
}
