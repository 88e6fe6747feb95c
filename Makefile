# Targets of at most three lines; what they do stands in scripts/.
.PHONY: setup test lint demo bench evaluate wheel

setup:
	scripts/setup

test:
	scripts/test

lint:
	venv=$$(scripts/setup) && PATH="$$venv/bin:$$PATH" && ruff check && ruff format --check && mypy && lint-imports

demo:
	scripts/demo

bench:
	scripts/bench

evaluate: # make evaluate SET=locomo DATA=path/to/locomo.json
	scripts/evaluate $(SET) $(DATA)

wheel:
	venv=$$(scripts/setup) && "$$venv/bin/python" -m hatchling build -t wheel
