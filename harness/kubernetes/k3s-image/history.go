package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
)

// compactHistory drops all revisions before the newest one, through etcd's JSON gateway.
func compactHistory() error {
	var reply struct {
		Header struct {
			Revision string `json:"revision"`
		} `json:"header"`
	}
	// Every response contains the newest revision, so any key will do.
	if err := post("/v3/kv/range", map[string]any{"key": []byte("/")}, &reply); err != nil {
		return err
	}
	return post("/v3/kv/compaction", map[string]any{"revision": reply.Header.Revision, "physical": true}, &struct{}{})
}

func post(path string, body, reply any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	answer, err := http.Post(etcdURL+path, "application/json", bytes.NewReader(text))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd answered %s to %s", answer.Status, path)
	}
	return json.NewDecoder(answer.Body).Decode(reply)
}
