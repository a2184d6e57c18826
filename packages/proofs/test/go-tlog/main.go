// Writes vectors.json: what golang.org/x/mod/sumdb computes for trees that the tests of packages/proofs/src/tree make too.
// Run it in this folder: go run . > vectors.json
package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const (
	sizes     = 1025    // all trees up to this size
	samples   = 16      // proofs of each of them
	randoms   = 2000    // random trees
	randomMax = 100_000 // leaves of the largest one
	kept      = 9       // bytes of each hash: 12 characters of base64
)

type store []tlog.Hash

func (s store) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	found := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		found[i] = s[index]
	}
	return found, nil
}

func leaf(i int) []byte {
	return fmt.Appendf(nil, `{"fact":["being:ada",%d,"%x"]}`, i+1, sha256.Sum256(fmt.Append(nil, i)))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func short(bytes []byte) string { return base64.StdEncoding.EncodeToString(bytes[:kept]) }

func digest(proof []tlog.Hash) string {
	hash := sha256.New()
	for _, one := range proof {
		hash.Write(one[:])
	}
	return short(hash.Sum(nil))
}

func signerOf(name, secret string) note.Signer {
	seed := sha256.Sum256([]byte(secret))
	public := ed25519.NewKeyFromSeed(seed[:]).Public().(ed25519.PublicKey)
	id := sha256.Sum256(append([]byte(name+"\n\x01"), public...))
	key := fmt.Sprintf("PRIVATE+KEY+%s+%x+%s", name, id[:4], base64.StdEncoding.EncodeToString(append([]byte{1}, seed[:]...)))
	return must(note.NewSigner(key))
}

func main() {
	var hashes store
	for i := range randomMax {
		hashes = append(hashes, must(tlog.StoredHashes(int64(i), leaf(i), hashes))...)
	}
	vectors := map[string]string{"roots": "", "inclusion": "", "consistency": "", "random": ""}
	for size := range int64(sizes + 1) {
		root := must(tlog.TreeHash(size, hashes))
		vectors["roots"] += short(root[:])
		var inclusion, consistency []tlog.Hash
		for i := range int64(min(samples, size)) {
			index := i * size / samples
			if size < samples {
				index = i
			}
			inclusion = append(inclusion, must(tlog.ProveRecord(size, index, hashes))...)
			consistency = append(consistency, must(tlog.ProveTree(size, index+1, hashes))...)
		}
		vectors["inclusion"] += digest(inclusion)
		vectors["consistency"] += digest(consistency)
	}
	for i := range randoms {
		random := sha256.Sum256(fmt.Appendf(nil, "tree %d", i))
		size := int64(1 + binary.BigEndian.Uint32(random[0:])%randomMax)
		index := int64(binary.BigEndian.Uint32(random[4:])) % size
		from := 1 + int64(binary.BigEndian.Uint32(random[8:]))%size
		root := must(tlog.TreeHash(size, hashes))
		proof := append([]tlog.Hash{root}, must(tlog.ProveRecord(size, index, hashes))...)
		vectors["random"] += digest(append(proof, must(tlog.ProveTree(size, from, hashes))...))
	}
	root := must(tlog.TreeHash(sizes, hashes))
	text := fmt.Sprintf("treeos/test\n%d\n%s\n", sizes, base64.StdEncoding.EncodeToString(root[:]))
	signed := must(note.Sign(&note.Note{Text: text}, signerOf("treeos/test", "one"), signerOf("treeos/test", "two")))
	vectors["note"] = string(signed)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	if err := out.Encode(vectors); err != nil {
		panic(err)
	}
}
