// Writes vectors.json: what libraries of others say of receipts.json. Go's securesystemslib checks each DSSE envelope, the attestation
// library of in-toto reads the statement in it. Then each envelope is tried with one bit changed, at every place that is tried.
// Run it in this folder: go run . > vectors.json
package main

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"

	ita "github.com/in-toto/attestation/go/v1"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"github.com/secure-systems-lab/go-securesystemslib/signerverifier"
	"google.golang.org/protobuf/encoding/protojson"
)

const payloadStep = 101 // bits; a prime, so that every bit of a byte and every place of a character is tried

type recorded struct {
	Verifier string `json:"verifier"` // <name>+<key id in hex>+<base64 of 0x01 and the key>
	Receipts []struct {
		Status   string        `json:"status"`
		Envelope dsse.Envelope `json:"envelope"`
	} `json:"receipts"`
}

type flips struct {
	Tried    int `json:"tried"`
	Accepted int `json:"accepted"`
}

type verdict struct {
	Status        string `json:"status"`
	Accepted      bool   `json:"accepted"`
	OtherKey      bool   `json:"otherKey"` // accepted with a key that did not sign it
	PayloadType   string `json:"payloadType"`
	Type          string `json:"type"`
	PredicateType string `json:"predicateType"`
	Subject       string `json:"subject"`
	Digest        string `json:"digest"`
	Verdict       string `json:"verdict"`
	Flips         struct {
		Payload   flips `json:"payload"`
		Signature flips `json:"signature"`
		Type      flips `json:"type"`
	} `json:"flips"`
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// The key as the library takes it. Envelopes name it by the text before the second plus sign.
func keyOf(verifier string) dsse.Verifier {
	parts := strings.SplitN(verifier, "+", 3)
	raw := must(base64.StdEncoding.DecodeString(parts[2]))
	return must(signerverifier.NewED25519SignerVerifierFromSSLibKey(&signerverifier.SSLibKey{
		KeyType: "ed25519",
		Scheme:  "ed25519",
		KeyID:   parts[0] + "+" + parts[1],
		KeyVal:  signerverifier.KeyVal{Public: hex.EncodeToString(raw[1:])},
	}))
}

// The same name for a key that signed nothing here.
func otherKey(verifier string) dsse.Verifier {
	parts := strings.SplitN(verifier, "+", 3)
	public := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)).Public().(ed25519.PublicKey)
	return keyOf(parts[0] + "+" + parts[1] + "+" + base64.StdEncoding.EncodeToString(append([]byte{1}, public...)))
}

func accepts(key dsse.Verifier, envelope dsse.Envelope) bool {
	verifier := must(dsse.NewEnvelopeVerifier(key))
	_, err := verifier.Verify(context.Background(), &envelope)
	return err == nil
}

func flipped(text []byte, bit int) []byte {
	changed := append([]byte{}, text...)
	changed[bit/8] ^= 1 << (bit % 8)
	return changed
}

// Tries a part of an envelope with one bit changed, at every step-th bit.
func try(key dsse.Verifier, part []byte, step int, with func([]byte) dsse.Envelope) (found flips) {
	for bit := 0; bit < 8*len(part); bit += step {
		found.Tried++
		if accepts(key, with(flipped(part, bit))) {
			found.Accepted++
		}
	}
	return found
}

func judge(verifier, status string, envelope dsse.Envelope) (said verdict) {
	said.Status = status
	key := keyOf(verifier)
	said.Accepted = accepts(key, envelope)
	said.OtherKey = accepts(otherKey(verifier), envelope)
	said.PayloadType = envelope.PayloadType

	payload := must(envelope.DecodeB64Payload())
	var statement ita.Statement
	if err := protojson.Unmarshal(payload, &statement); err != nil {
		panic(err)
	}
	if err := statement.Validate(); err != nil {
		panic(err)
	}
	said.Type = statement.GetType()
	said.PredicateType = statement.GetPredicateType()
	said.Subject = statement.GetSubject()[0].GetName()
	said.Digest = statement.GetSubject()[0].GetDigest()["sha256"]
	said.Verdict = statement.GetPredicate().AsMap()["verdict"].(string)

	said.Flips.Payload = try(key, payload, payloadStep, func(part []byte) dsse.Envelope {
		return dsse.Envelope{PayloadType: envelope.PayloadType, Payload: base64.StdEncoding.EncodeToString(part), Signatures: envelope.Signatures}
	})
	signature := envelope.Signatures[0]
	said.Flips.Signature = try(key, must(base64.StdEncoding.DecodeString(signature.Sig)), 1, func(part []byte) dsse.Envelope {
		changed := dsse.Signature{KeyID: signature.KeyID, Sig: base64.StdEncoding.EncodeToString(part)}
		return dsse.Envelope{PayloadType: envelope.PayloadType, Payload: envelope.Payload, Signatures: []dsse.Signature{changed}}
	})
	said.Flips.Type = try(key, []byte(envelope.PayloadType), 1, func(part []byte) dsse.Envelope {
		return dsse.Envelope{PayloadType: string(part), Payload: envelope.Payload, Signatures: envelope.Signatures}
	})
	return said
}

func main() {
	var given recorded
	if err := json.Unmarshal(must(os.ReadFile("receipts.json")), &given); err != nil {
		panic(err)
	}
	var all []verdict
	for _, receipt := range given.Receipts {
		all = append(all, judge(given.Verifier, receipt.Status, receipt.Envelope))
	}
	output := json.NewEncoder(os.Stdout)
	output.SetIndent("", "  ")
	if err := output.Encode(all); err != nil {
		panic(err)
	}
}
