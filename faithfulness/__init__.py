"""Does a black-box language model use what it says it used? (Fragkathoulas and Chlapanis, SETN 2024)"""
