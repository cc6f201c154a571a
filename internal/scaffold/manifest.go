package scaffold

func manifest(in Input) ([]File, error) {
	return nil, nil
}
